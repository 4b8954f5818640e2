#include "analysis/stacks/stack_profile.h"

#include <fmt/core.h>

#include "analysis/stacks/merged_stacks.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reducer.h"
#include "trace/stack_tree.h"

namespace rankscope {

template const StackProfile& SchemaOf<StackProfile>();
namespace {

std::vector<Table> MapStackProfile(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  const StackTree stacks(
      trace, [&](Row row) { return IsStackFrame(trace.kind[row]); }, StackWork::kAsOwnFrame,
      [&](Row row) { return !options.steps || windows.OfRow(row) != Windows::kNone; });
  WeightedTree tree;
  std::vector<std::uint32_t> frame_of_node;
  frame_of_node.reserve(stacks.nodes().size());
  for (const StackTree::Node& node : stacks.nodes()) {
    const std::uint32_t parent =
        node.parent == StackTree::kRoot ? WeightedTree::kRoot : frame_of_node[node.parent];
    frame_of_node.push_back(
        tree.Child(parent, tree.Name(stacks.names()[node.name]), FrameKind::kNone));
    tree.Add(frame_of_node.back(), {.host_ns = node.host_ns, .device_ns = node.device_ns});
  }
  return TablesOfTree(tree);
}

struct StackProfileState {
  explicit StackProfileState(const Options& options)
      : is_by_rank(CountOption(options, "by_rank") > 0) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    std::uint32_t root = WeightedTree::kRoot;
    if (is_by_rank) {
      root = tree.Child(WeightedTree::kRoot, tree.Name(fmt::format("rank {}", capture.rank)),
                        FrameKind::kNone);
    }
    return MergeTables(tables, root, "stack_profile", tree);
  }

  void Merge(StackProfileState&& other) { tree.Merge(other.tree); }

  Result<Table> Finish(const JobContext&) {
    // In an order that does not depend on that of the partials.
    tree = tree.Folded(0);
    const auto& columns = SchemaOf<StackProfile>();
    auto table = columns.NewTable("stack_profile");
    for (const WeightedTree::Frame& frame : tree.frames()) {
      const bool is_outermost = frame.parent == WeightedTree::kRoot;
      table.Add({columns.parent = is_outermost ? Value(kNull) : Value(std::int64_t{frame.parent}),
                 columns.name = std::string_view(tree.names()[frame.name]),
                 columns.host_ns = frame.own.host_ns, columns.device_ns = frame.own.device_ns});
    }
    return table;
  }

  bool is_by_rank = false;
  WeightedTree tree;
};

}  // namespace

const Analysis& StackProfileAnalysis() {
  static const Analysis kAnalysis = {
      .name = "stack_profile",
      .size = Size::kDetail,
      .summary = "all call stacks of all ranks",
      .columns = SchemaOf<StackProfile>().columns(),
      .options = {{"by_rank", "0", "1: each rank's stacks inside a frame of its own",
                   OptionType::kCount}},
      .mapper = {.name = "stack_profile", .tables = TreeColumns(), .map = MapStackProfile},
      .reducer = ReduceBy<StackProfileState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
