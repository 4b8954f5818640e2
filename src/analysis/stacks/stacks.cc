#include "analysis/stacks/analyses.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/columns.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/schema.h"
#include "trace/stack_tree.h"

namespace rankscope {
namespace {

struct Stacks : Schema<Stacks> {
  StringColumn stack =
      Text("stack",
           "Python functions, outermost first, with ; between: train.py(12): main;model.py(40): "
           "forward; (no stack): work that lies in none; (others): beyond the option stacks");
  StringColumn frame = Text("frame", "the last of them");
  IntColumn ranks = Int("ranks", "", "ranks with this stack");
  IntColumn count = Int("count", "", "calls of the last function with this very stack");
  IntColumn host_self_ns =
      Int("host_self_ns", "ns",
          "host time in the last function outside of Python functions that it calls: its "
          "own code, ops and calls of the device API");
  IntColumn device_ns = Int("device_ns", "ns", "device work launched there: sum of its durations");
  RealColumn share_pct = Real("share_pct", "%", "device_ns as a part of all device work");
  IntColumn kernels = Int("kernels", "", "kernels, copies and memsets in device_ns");
};

struct StackPartial : Schema<StackPartial> {
  StringColumn stack = Text("stack", "as in the table");
  IntColumn count = Int("count");
  IntColumn host_self_ns = Int("host_self_ns", "ns");
  IntColumn device_ns = Int("device_ns", "ns");
  IntColumn kernels = Int("kernels");
};

bool IsEmpty(const StackTree::Node& node) { return node.calls == 0 && node.works == 0; }

// The `most` nodes with the most device work, then host time.
std::vector<std::uint32_t> Largest(const std::vector<StackTree::Node>& nodes, std::size_t most) {
  std::vector<std::uint32_t> order;
  order.reserve(nodes.size());
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (!IsEmpty(nodes[node])) order.push_back(node);
  }
  if (order.size() <= most) return order;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(order.begin(), middle, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (nodes[a].device_ns != nodes[b].device_ns) return nodes[a].device_ns > nodes[b].device_ns;
    if (nodes[a].host_ns != nodes[b].host_ns) return nodes[a].host_ns > nodes[b].host_ns;
    return a < b;
  });
  order.erase(middle, order.end());
  std::sort(order.begin(), order.end());
  return order;
}

void AddNode(StackTree::Node& sum, const StackTree::Node& node) {
  AddSaturating(sum.calls, node.calls);
  AddSaturating(sum.host_ns, node.host_ns);
  AddSaturating(sum.device_ns, node.device_ns);
  AddSaturating(sum.works, node.works);
}

std::vector<Table> MapStacks(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<StackPartial>();
  auto table = columns.NewPartial("stacks");
  const Windows windows = Windows::OfHost(facts, options.steps);
  const StackTree tree(
      trace, [&](Row row) { return trace.kind[row] == EventKind::kPythonFunction; },
      StackWork::kAtCall,
      [&](Row row) { return !options.steps || windows.OfRow(row) != Windows::kNone; });
  const auto add_row = [&](std::string_view stack, const StackTree::Node& node) {
    table.Add({columns.stack = stack, columns.count = node.calls,
               columns.host_self_ns = node.host_ns, columns.device_ns = node.device_ns,
               columns.kernels = node.works});
  };
  const auto& nodes = tree.nodes();
  // Nothing but "(no stack)": a profile without Python functions.
  const bool has_stacks = std::ranges::any_of(nodes, [](const auto& n) { return n.calls > 0; });
  if (!has_stacks) return MoveTables(std::move(table));
  const auto most = static_cast<std::size_t>(CountOption(options.values, "stacks"));
  std::vector<bool> is_kept(nodes.size());
  for (const std::uint32_t node : Largest(nodes, most)) {
    is_kept[node] = true;
    add_row(tree.TextOf(node), nodes[node]);
  }
  StackTree::Node others;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (!is_kept[node]) AddNode(others, nodes[node]);
  }
  if (!IsEmpty(others)) add_row(kOtherFrames, others);
  return MoveTables(std::move(table));
}

struct StackOverRanks {
  StackTree::Node sum;
  std::set<std::int64_t> ranks;
};

struct StacksState {
  explicit StacksState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<StackPartial>();
    const ViewOf<StackPartial> rows = tables.front();
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      StackOverRanks& entry = stacks[std::string(rows.String(row, columns.stack))];
      AddNode(entry.sum, {.calls = rows.Int(row, columns.count),
                          .host_ns = rows.Int(row, columns.host_self_ns),
                          .device_ns = rows.Int(row, columns.device_ns),
                          .works = rows.Int(row, columns.kernels)});
      entry.ranks.insert(capture.rank);
    }
    return OkStatus();
  }

  void Merge(StacksState&& other) {
    stacks.merge(other.stacks);  // leaves those that are in both
    for (auto& [stack, entry] : other.stacks) {
      StackOverRanks& into = stacks.at(stack);
      AddNode(into.sum, entry.sum);
      into.ranks.merge(entry.ranks);
    }
  }

  Result<Table> Finish(const JobContext&) {
    std::int64_t all_work = 0;
    for (const auto& [stack, entry] : stacks) AddSaturating(all_work, entry.sum.device_ns);
    const auto& columns = SchemaOf<Stacks>();
    auto table = columns.NewTable("stacks");
    for (const auto& [stack, entry] : stacks) {
      const std::string_view text = stack;
      const std::size_t last = text.rfind(';');
      table.Add({columns.stack = text,
                 columns.frame = last == std::string_view::npos ? text : text.substr(last + 1),
                 columns.ranks = static_cast<std::int64_t>(entry.ranks.size()),
                 columns.count = entry.sum.calls, columns.host_self_ns = entry.sum.host_ns,
                 columns.device_ns = entry.sum.device_ns,
                 columns.share_pct = Percent(entry.sum.device_ns, all_work),
                 columns.kernels = entry.sum.works});
    }
    table.SortBy({{columns.device_ns, true}, {columns.host_self_ns, true}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  std::int64_t top = 0;
  std::map<std::string, StackOverRanks, std::less<>> stacks;
};

}  // namespace

const Analysis& StacksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "stacks",
      .size = Size::kDetail,
      .summary = "Python stacks: which lines of code launch the device work and take host time",
      .definition =
          "Python functions as the profiler recorded them (with_stack), nn.Module frames among "
          "them; without any the table is empty. Equal stacks are one row, over threads, steps and "
          "ranks; addresses of objects in names are left out, since they differ. A thread's time "
          "belongs to the innermost function that is open, and device work to the stack of the "
          "call that launched it; work without a call or stack is (no stack), so that rows sum to "
          "all device work, durations added, of the ranks with stacks. Functions more than 256 "
          "deep count with the one around them at that depth. Per rank the `stacks` with the most "
          "device work, then host time, are kept. `rankscope trace stacks` writes them with ops "
          "and kernels for flame graphs.",
      .example = "rankscope table stacks traces/ --set top=20",
      .columns = SchemaOf<Stacks>().columns(),
      .options = {{"top", "0", "keep the stacks with the most device work; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "stacks",
                 .options = {{"stacks", "500", "so many stacks per rank", OptionType::kCount}},
                 .tables = {SchemaOf<StackPartial>().BareColumns()},
                 .map = MapStacks},
      .reducer = ReduceBy<StacksState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
