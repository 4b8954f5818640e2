// The graphs of a job: what all ranks ran, joined with what any capture says of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/graphs/graph_nodes.h"
#include "analysis/roofline/roofline_rows.h"

namespace rankscope {

// Texts of a node for which there is no name.
inline constexpr std::string_view kNoCapture = "(no capture)";
inline constexpr std::string_view kCapturesDiffer = "(captures differ)";

// Whose work a node is; empty = not in any.
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

struct JobGraph {
  struct Node {
    NodeKind kind = NodeKind::kKernel;
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
  BatchSums batch;           // summed over these
  std::set<std::int64_t> ranks;
  std::vector<Node> nodes;                           // names and order are those of the first
  std::pair<std::int64_t, std::int64_t> first_seen;  // (rank, capture)
  std::int64_t captures = 0;
  OwnedBy by = OwnedBy::kNothing;
};

class GraphsOfJob {
 public:
  // Nodes point to owners inside.
  GraphsOfJob(GraphsOfJob&&) = default;
  GraphsOfJob& operator=(GraphsOfJob&&) = default;

  GraphsOfJob() = default;

  // Of the partials that MapGraphs made, of all captures.
  static Result<GraphsOfJob> Read(PartialStream& partials, const JobContext& job);
  // The same one by one: the tables of each capture, then Join once.
  Status Add(const Capture& capture, std::span<const Table> tables);
  void Join();

  // By id as text.
  const std::map<std::string, JobGraph>& graphs() const { return graphs_; }
  std::int64_t device_ns() const;  // of all of them

 private:
  struct Captured {
    std::int64_t captures = 0;
    std::vector<NodeOwner> nodes;
  };

  Status AddReplayed(const Capture& capture, const Table& graphs, const Table& nodes);
  Status AddCaptured(const Table& graphs, const Table& nodes);

  std::map<std::string, JobGraph> graphs_;
  std::map<std::string, Captured> named_;
  std::map<NodeCounts, Captured> unnamed_;
};

// What a run of the op behind a node costs, in the mean over launches; nullopt when it has no model
// or hangs on batches that are not all known.
std::optional<RooflineKey> CostOfNode(const JobGraph& graph, const JobGraph::Node& node);

// Tables: graphs that ran, their nodes, graphs that were captured, their nodes.
std::vector<Table> MapGraphs(const TraceFacts& facts, const StepFilter& steps);

}  // namespace rankscope
