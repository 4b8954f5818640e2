// CUDA graphs (and HIP graphs) in one trace: the work that their launches ran and their captures
// recorded.
//
// Nodes are listed in one order, by (kind, kernel's name, time), so that the n-th node of a graph
// that ran is the n-th of its capture, whatever streams the device chose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "op_cost/models/paged_attention.h"
#include "op_cost/op_cost.h"
#include "trace/trace.h"

namespace rankscope {

enum class GraphNodeKind : std::uint8_t { kKernel, kCopy, kMemset };
inline constexpr int kNodeKindCount = 3;
std::string_view ToString(GraphNodeKind kind);  // "kernel", "copy", "memset"

// How many nodes of each kind.
using NodeCounts = std::array<std::int64_t, kNodeKindCount>;

// Identifies the nodes of a graph by the names of its kernels and the number of its copies and
// memsets: the same in every trace.
using GraphId = std::uint64_t;

struct ReplayedNode {
  GraphNodeKind kind = GraphNodeKind::kKernel;
  StringId name = kEmptyString;
  bool is_compute = false;  // not communication, not a copy
  std::int64_t nth = 0;     // among the nodes of its kind, by begin in the first launch
  std::int64_t count = 0;
  std::int64_t device_ns = 0;
  std::int64_t max_ns = 0;
};

// Launches of graphs with the same nodes. Work counts in the window in which it begins, a launch in
// that of its first work.
struct ReplayedGraph {
  GraphId id = 0;
  std::string_view device;  // name of that on which it ran first; empty when it is not known
  NodeCounts counts{};
  std::int64_t streams = 0;  // on which a launch ran, at most
  std::int64_t launches = 0;
  std::int64_t device_ns = 0;  // durations of its work
  std::int64_t span_ns = 0;    // first begin to last end, summed over launches
  std::int64_t busy_ns = 0;    // of that with any node running
  std::int64_t batches = 0;    // launches inside an annotation of a batch (paged_attention.h)
  BatchSums batch;             // summed over these
  std::vector<ReplayedNode> nodes;
};

// The trace's information on a captured launch. Ids of kUnknown differ between captures of one
// graph.
struct CapturedNode {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kUnknown = UINT32_MAX - 1;

  GraphNodeKind kind = GraphNodeKind::kKernel;
  StringId name = kEmptyString;        // empty where calls do not name kernels
  std::uint32_t op = kNone;            // name of the innermost op
  std::uint32_t module = kNone;        // index of CapturedGraphs::modules
  std::uint32_t module_class = kNone;  // index of CapturedGraphs::module_classes
  std::uint32_t function = kNone;      // name of the innermost Python function that is the user's
  std::uint32_t shapes = kNone;        // of the inputs of the op
  std::uint32_t dtypes = kNone;
  std::uint32_t cost = kNone;  // index of CapturedGraphs::costs: of the outermost op with a model
  bool begins_run = false;     // the first kernel of that op
};

struct CapturedCost {
  StringId op = kEmptyString;
  StringId shapes = kEmptyString;
  OpCost cost;
  std::optional<PagedShape> paged;  // then the cost hangs on the batch of each launch
};

// Captures of the same nodes.
struct CapturedGraph {
  bool is_named = false;  // all kernels are; else `id` is 0 and nodes are in the order of capture
  GraphId id = 0;
  NodeCounts counts{};
  std::int64_t captures = 0;
  std::vector<CapturedNode> nodes;
};

struct CapturedGraphs {
  std::vector<CapturedGraph> graphs;
  std::vector<std::string> modules;         // paths: "Model_0/Layer_3/Linear_1"
  std::vector<std::string> module_classes;  // the same without instances: "Model/Layer/Linear"
  std::vector<CapturedCost> costs;
};

// By device_ns, longest first. O(work * log of a graph's nodes).
std::vector<ReplayedGraph> ReplayedGraphsOf(const TraceFacts& facts, const Windows& windows);

// In order of the first capture. Linear in the rows of a trace with captures, else in its names.
CapturedGraphs CapturedGraphsOf(const RankTrace& trace);

}  // namespace rankscope
