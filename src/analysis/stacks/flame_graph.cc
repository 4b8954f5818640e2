#include "analysis/stacks/analyses.h"

#include <algorithm>

#include "analysis/stacks/merged_stacks.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/stacks.h"
#include "stage/reducer.h"
#include "trace/stack_tree.h"

namespace rankscope {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

FrameKind KindOf(const TraceFacts& facts, Row row) {
  if (row == kNoRow) return FrameKind::kNone;
  const RankTrace& trace = facts.trace();
  switch (trace.kind[row]) {
    case EventKind::kPythonFunction:
      return trace.name_of(row).starts_with(kModulePrefix) ? FrameKind::kModule
                                                           : FrameKind::kPython;
    case EventKind::kCpuOp:
      return FrameKind::kOp;
    case EventKind::kUserAnnotation:
      return FrameKind::kAnnotation;
    case EventKind::kRuntime:
      return FrameKind::kCall;
    default:
      break;
  }
  switch (facts.classes().Of(row)) {
    case WorkClass::kCompute:
      return FrameKind::kKernel;
    case WorkClass::kCommunication:
      return FrameKind::kCommunication;
    default:
      return FrameKind::kCopy;
  }
}

// Layers of a model are one frame: "nn.Module: Block_7" without the number that the profiler gives
// to instances.
std::string_view WithoutInstance(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  const bool is_numbered =
      name.starts_with(kModulePrefix) && end + 1 < name.size() && name[end] == '_';
  return is_numbered ? name.substr(0, end) : name;
}

WeightedTree TreeOf(const TraceFacts& facts, const StepFilter& steps) {
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, steps);
  const StackTree stacks(
      trace, [&](Row row) { return IsStackFrame(trace.kind[row]); }, StackWork::kBesideCall,
      [&](Row row) { return !steps || windows.OfRow(row) != Windows::kNone; });
  WeightedTree tree;
  std::vector<std::uint32_t> frame_of_node;
  frame_of_node.reserve(stacks.nodes().size());
  for (const StackTree::Node& node : stacks.nodes()) {
    const std::uint32_t parent =
        node.parent == StackTree::kRoot ? WeightedTree::kRoot : frame_of_node[node.parent];
    frame_of_node.push_back(tree.Child(
        parent, tree.Name(WithoutInstance(stacks.names()[node.name])), KindOf(facts, node.first)));
    tree.Add(
        frame_of_node.back(),
        {.count = node.calls + node.works, .host_ns = node.host_ns, .device_ns = node.device_ns});
  }
  return tree;
}

Table Rows(const WeightedTree& tree) {
  const auto& columns = SchemaOf<FlameGraph>();
  auto table = columns.NewTable("flame_graph");
  if (tree.frames().empty()) return table;
  const std::vector<WeightedTree::Weights> totals = tree.Totals();
  WeightedTree::Weights all;
  for (std::size_t i = 0; i < tree.frames().size(); ++i) {
    if (tree.frames()[i].parent == WeightedTree::kRoot) all.Add(totals[i]);
  }
  table.Add({columns.frame = 0, columns.level = 0, columns.name = "(all)",
             columns.host_total_ns = all.host_ns, columns.host_self_ns = 0,
             columns.device_total_ns = all.device_ns, columns.device_self_ns = 0});
  std::vector<std::int64_t> level;
  level.reserve(tree.frames().size());
  for (std::size_t i = 0; i < tree.frames().size(); ++i) {
    const WeightedTree::Frame& frame = tree.frames()[i];
    const bool is_top = frame.parent == WeightedTree::kRoot;
    level.push_back(is_top ? 1 : level[frame.parent] + 1);
    const std::string_view kind = ToString(frame.kind);
    table.Add({columns.frame = static_cast<std::int64_t>(i) + 1,
               columns.parent = is_top ? 0 : std::int64_t{frame.parent} + 1,
               columns.level = level.back(), columns.name = tree.names()[frame.name],
               columns.kind = kind.empty() ? Value(kNull) : Value(kind),
               columns.count = frame.own.count, columns.host_total_ns = totals[i].host_ns,
               columns.host_self_ns = frame.own.host_ns,
               columns.device_total_ns = totals[i].device_ns,
               columns.device_self_ns = frame.own.device_ns});
  }
  return table;
}

std::size_t MostFrames(const Options& options) {
  return static_cast<std::size_t>(CountOption(options, "frames"));
}

std::vector<Table> MapFlameGraph(const TraceFacts& facts, const MapOptions& options) {
  return TablesOfTree(TreeOf(facts, options.steps).Folded(MostFrames(options.values)));
}

struct FlameGraphState {
  explicit FlameGraphState(const Options& options) : most(MostFrames(options)) {}

  Status Add(const Capture&, std::vector<Table> tables) {
    return MergeTables(tables, WeightedTree::kRoot, "flame_graph", tree);
  }
  void Merge(FlameGraphState&& other) { tree.Merge(other.tree); }
  Result<Table> Finish(const JobContext&) { return Rows(tree.Folded(most)); }

  std::size_t most = 0;
  WeightedTree tree;
};

}  // namespace

const Analysis& FlameGraphAnalysis() {
  static const Analysis kAnalysis = {
      .name = "flame_graph",
      .size = Size::kDetail,
      .summary = "call stacks of all ranks as one tree: Python, modules, ops, calls, kernels",
      .definition =
          "Stacks of Python functions (profiles with_stack), annotations, ops and calls of the "
          "device API as docs/call-tree.md defines them; device work is a frame inside the one "
          "that is around its launching call. Equal stacks are one, over threads, steps and ranks; "
          "addresses of objects and numbers of steps and of module instances in names are left "
          "out, so that the layers of a model are one. Host time: of every instant of a thread the "
          "innermost frame, so (all) is the time that threads spent in any frame. Device time: "
          "durations added, so (all) is all device work. Kept are the `frames` with the largest "
          "shares of either, of each rank and of the job; what is smaller is (others) in the frame "
          "around, so totals are exact. Frames come depth first, siblings by device time.",
      .example = "rankscope table flame_graph traces/ --set frames=200",
      .columns = SchemaOf<FlameGraph>().columns(),
      .mapper = {.name = "flame_graph",
                 .options = {{"frames", "1000", "so many frames beside (others); 0 = all",
                              OptionType::kCount}},
                 .tables = TreeColumns(),
                 .map = MapFlameGraph},
      .reducer = ReduceBy<FlameGraphState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
