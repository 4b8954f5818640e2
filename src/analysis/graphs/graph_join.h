// The graphs of a job: the work that all ranks ran, joined with the information in any capture.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/graphs/graph_nodes.h"
#include "analysis/op_models/roofline_rows.h"
#include "facts/trace_facts.h"
#include "stage/reducer.h"
#include "table/schema.h"

namespace rankscope {

// The text of a node that has several names.
inline constexpr std::string_view kCapturesDiffer = "(captures differ)";

// The partial: graphs that ran, their nodes, graphs that were captured, their nodes.
struct ReplayedGraphPartial : Schema<ReplayedGraphPartial> {
  StringColumn graph = Text("graph", "id, or (others)");
  IntColumn kernels = Int("kernels", "", "that a launch runs, as the next two");
  IntColumn copies = Int("copies");
  IntColumn memsets = Int("memsets");
  IntColumn streams = Int("streams");
  IntColumn launches = Int("launches");
  IntColumn device_ns = Int("device_ns", "ns");
  IntColumn span_ns = Int("span_ns", "ns");
  IntColumn busy_ns = Int("busy_ns", "ns");
  StringColumn device = Text("device", "its name; empty when it is not known");
  IntColumn batches = Int("batches", "", "launches whose batch is known; the rest sums over these");
  RealColumn queries = Real("queries");
  RealColumn keys = Real("keys");
  RealColumn prefill_squares = Real("prefill_squares");
  RealColumn prefill_pairs = Real("prefill_pairs");
  RealColumn decode_pairs = Real("decode_pairs");
};
extern template const ReplayedGraphPartial& SchemaOf<ReplayedGraphPartial>();
struct ReplayedNodePartial : Schema<ReplayedNodePartial> {
  IntColumn graph = Int("graph", "", "row of ReplayedGraphPartial; ascending");
  IntColumn kind = Int("kind", "", "a GraphNodeKind");
  StringColumn name = Text("name");
  FlagColumn is_compute = Flag("is_compute");
  IntColumn nth = Int("nth", "", "among the nodes of its kind");
  IntColumn count = Int("count", "", "runs");
  IntColumn device_ns = Int("device_ns", "ns");
  IntColumn max_ns = Int("max_ns", "ns");
};
extern template const ReplayedNodePartial& SchemaOf<ReplayedNodePartial>();
struct CapturedGraphPartial : Schema<CapturedGraphPartial> {
  StringColumn graph = Text("graph", "id; null where calls do not name kernels");
  IntColumn kernels = Int("kernels");
  IntColumn copies = Int("copies");
  IntColumn memsets = Int("memsets");
  IntColumn captures = Int("captures");
};
extern template const CapturedGraphPartial& SchemaOf<CapturedGraphPartial>();
struct CapturedNodePartial : Schema<CapturedNodePartial> {
  IntColumn graph = Int("graph", "", "row of CapturedGraphPartial; ascending");
  StringColumn op = Text("op", "empty for none, as the next five");
  StringColumn module_path = Text("module");
  StringColumn module_class = Text("module_class");
  StringColumn function = Text("function");
  StringColumn shapes = Text("shapes");
  StringColumn dtypes = Text("dtypes");
  StringColumn cost_op = Text("cost_op", "outermost op with a model; null without, as all below");
  StringColumn cost_family = Text("cost_family");
  StringColumn cost_shapes = Text("cost_shapes");
  StringColumn cost_dtype = Text("cost_dtype");
  RealColumn flops = Real("flops");
  RealColumn bytes = Real("bytes", "bytes");
  FlagColumn fits = Flag("fits");
  FlagColumn lower_bound = Flag("lower_bound");
  FlagColumn begins_run = Flag("begins_run");
  RealColumn hq = Real("hq", "", "of paged attention, as the rest; else null");
  RealColumn hk = Real("hk");
  RealColumn dqk = Real("dqk");
  RealColumn dv = Real("dv");
};
extern template const CapturedNodePartial& SchemaOf<CapturedNodePartial>();
std::vector<std::vector<ColumnSpec>> GraphPartialColumns();

// The owner of a node's work; empty = not in any.
struct NodeOwner {
  std::string op, module, module_class, function, shapes, dtypes;
  std::optional<RooflineKey> cost;  // without device: of the outermost op with a model
  bool begins_run = false;          // the first kernel of that op
  std::optional<PagedShape> paged;  // then `cost` is that of no batch
};

enum class OwnedBy : std::uint8_t {
  kNames,    // a capture has kernels of the same names
  kOrder,    // a capture has as many nodes, and says no names
  kNothing,  // no capture has these nodes
  kNoOrder   // such a capture, but the graph ran on several streams
};
std::string_view ToString(OwnedBy by);  // "names", "order", "no capture", "order unknown"

struct CudaGraph {
  struct Node {
    GraphNodeKind kind = GraphNodeKind::kKernel;
    std::string name;
    bool is_compute = false;
    std::int64_t nth = 0;
    std::int64_t count = 0;
    std::int64_t device_ns = 0;
    std::int64_t max_ns = 0;
    const NodeOwner* owner = nullptr;  // in GraphsOfJob; null unless `by` is kNames or kOrder
  };
  std::string device;  // its name; empty when it is not known
  NodeCounts counts{};
  std::int64_t streams = 0;
  std::int64_t launches = 0;
  std::int64_t device_ns = 0;
  std::int64_t span_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t batches = 0;  // launches whose batch is known
  BatchSums batch;           // summed over these; known behind Join
  std::set<std::int64_t> ranks;
  std::vector<Node> nodes;                               // names and order are those of the first
  using SeenIn = std::pair<std::int64_t, std::int64_t>;  // (rank, capture)
  std::optional<SeenIn> first_seen;
  // The parts of `batch`, since floating-point sums depend on their order.
  std::map<SeenIn, BatchSums> batch_of;
  std::int64_t captures = 0;
  OwnedBy by = OwnedBy::kNothing;
};

class GraphsOfJob {
 public:
  // Nodes point to owners inside.
  GraphsOfJob(GraphsOfJob&&) = default;
  GraphsOfJob& operator=(GraphsOfJob&&) = default;

  GraphsOfJob() = default;

  // The tables that MapGraphs made of each capture, selected or not, then Join once.
  Status Add(const Capture& capture, std::span<const Table> tables);
  void Merge(GraphsOfJob&& other);
  Status Join();

  // By id as text.
  const std::map<std::string, CudaGraph>& graphs() const { return graphs_; }
  std::int64_t device_ns() const;  // of all of them

 private:
  struct Captured {
    std::int64_t captures = 0;
    std::vector<NodeOwner> nodes;
  };

  static void MergeGraph(CudaGraph& into, CudaGraph&& other, bool& fits);
  static void MergeCaptured(Captured& into, Captured&& other, bool& fits);
  Status AddReplayed(const Capture& capture, ViewOf<ReplayedGraphPartial> graphs,
                     ViewOf<ReplayedNodePartial> nodes);
  Status AddCaptured(ViewOf<CapturedGraphPartial> graphs, ViewOf<CapturedNodePartial> nodes);

  std::map<std::string, CudaGraph> graphs_;
  std::map<std::string, Captured> named_;
  std::map<NodeCounts, Captured> unnamed_;
  bool fits_ = true;  // graphs of one id have as many nodes everywhere
};

// The mean cost over launches of a run of the op behind a node; nullopt if it has no model or
// depends on batches that are not all known.
std::optional<RooflineKey> CostOfNode(const CudaGraph& graph, const CudaGraph::Node& node);

std::vector<Table> MapGraphs(const TraceFacts& facts, const StepFilter& steps);

}  // namespace rankscope
