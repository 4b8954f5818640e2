#include "analysis/ops/modules.h"

#include <algorithm>

#include "analysis/ops/frame_sums.h"
#include "analysis/ops/module_paths.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "stage/reducer.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("path",
                   "the modules around it and itself, outermost first, as the profiler numbers "
                   "them: Net_0/Block_3/Linear_7; (no module): work that lies in none; (others): "
                   "beyond the option names"),
      column::Int("level", "", "0 for a module in no other; null for the rows that are no module"),
      column::Int("ranks", "", "ranks on which it was called"),
      column::Int("count", "", "calls on all ranks"),
      column::Int("host_total_ns", "ns", "sum of their durations on the host"),
      column::Int("host_self_ns", "ns", "of that, the time outside of modules inside"),
      column::Real("mean_ns", "ns", "mean duration of a call on the host"),
      column::Int("p50_ns", "ns", "median duration of a call on the host, within 0.8 %"),
      column::Int("p99_ns", "ns", "99th percentile, within 0.8 %"),
      column::Int("max_ns", "ns", "longest call on the host"),
      column::Int("device_total_ns", "ns", "forward_total_ns + backward_total_ns"),
      column::Real("share_pct", "%", "device_total_ns as a part of all device work"),
      column::Int("forward_total_ns", "ns",
                  "device work launched inside, also by modules inside: sum of its durations"),
      column::Int("forward_self_ns", "ns", "device work of which it is the innermost module"),
      column::Int("backward_total_ns", "ns",
                  "device work of the backward ops of ops called inside, also in modules inside"),
      column::Int("backward_self_ns", "ns", "the same without modules inside"),
      column::Int("kernels", "",
                  "kernels, copies and memsets in forward_self_ns and backward_self_ns"),
      column::Int("slowest_rank", "", "the rank with the largest mean duration on the host"),
      column::Real("slowest_mean_ns", "ns", "that rank's mean"),
  };
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  Table table = SchemaOf<FrameSumPartial>().NewPartial("modules");
  const FrameTree frames(trace, [&](Row row) { return IsModule(trace, row); });
  if (frames.size() == 0) return {table};
  const ModulePaths paths = ModulePathsOf(trace, frames);
  const CappedGroups capped = CapGroups(trace, frames, paths.groups, BackwardWork::kInstead,
                                        CountOption(options.values, "names"));
  const std::vector<FrameSum> sums =
      SumFrames(trace, frames, capped.groups, BackwardWork::kInstead, options.steps);
  for (std::size_t group = 0; group < sums.size(); ++group) {
    if (sums[group].IsEmpty()) continue;
    const std::string path = group < capped.kept.size()
                                 ? ModulePathText(trace, paths, capped.kept[group])
                                 : std::string(group + 1 == sums.size() ? kNoModule : kOtherFrames);
    AddSum({.name = path, .shapes = {}, .dtypes = {}}, sums[group], table);
  }
  return {table};
}

// Other rows than modules have none.
Value LevelOf(std::string_view path) {
  if (path == kNoModule || path == kOtherFrames) return kNull;
  return static_cast<std::int64_t>(std::count(path.begin(), path.end(), '/'));
}

Table RowsOf(const std::map<SumsByName::Key, SumOverRanks>& merged, std::int64_t top) {
  std::int64_t all_work = 0;
  for (const auto& [key, sums] : merged) AddSaturating(all_work, sums.all.AllDeviceSelf());
  Table table("modules", Columns());
  for (const auto& [key, sums] : merged) {
    const FrameSum& sum = sums.all;
    const bool is_called = sum.count > 0;
    const std::int64_t device_ns = SaturatingAdd(sum.device_total_ns, sum.backward_total_ns);
    std::vector<Value> row;
    row.reserve(Columns().size());
    row.insert(row.end(), {std::string_view(key[0]), LevelOf(key[0]),
                           static_cast<std::int64_t>(sums.ranks.size()), sum.count,
                           is_called ? Value(sum.host_total_ns) : Value(kNull),
                           is_called ? Value(sum.host_self_ns) : Value(kNull)});
    AppendCallTimes(sum, row);
    row.insert(row.end(),
               {device_ns, Percent(device_ns, all_work), sum.device_total_ns, sum.device_self_ns,
                sum.backward_total_ns, sum.backward_self_ns, sum.works + sum.backward_works});
    AppendSlowest(sums, row);
    table.AddRow(row);
  }
  table.SortBy({{*table.Find("device_total_ns"), true}, {*table.Find("host_total_ns"), true}});
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

struct State {
  explicit State(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    return sums.Add(capture, tables.front());
  }
  void Merge(State&& other) { sums.Merge(std::move(other.sums)); }
  Result<Table> Finish(const JobContext&) { return RowsOf(sums.sums(), top); }

  std::int64_t top = 0;
  SumsByName sums;
};

}  // namespace

const Analysis& ModulesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "modules",
      .summary = "nn.Module tree: host time and device work, forward and backward, by module",
      .definition =
          "Frames of Python functions named \"nn.Module: ...\" (profiles with with_stack or "
          "with_modules), by the path of the modules around them on their thread; without such "
          "frames the table is empty. Forward: device work whose launching call lies in the "
          "module, also what a backward hook or recomputation launches inside it. Backward: work "
          "whose launching call lies in no module, but in a backward op that autograd's links "
          "(arrows, else sequence numbers) join to an op in the module. So every work has one "
          "module or none, and forward_self_ns + backward_self_ns summed over all rows is all "
          "device work of the ranks with modules, durations added. Modules more than 64 deep "
          "count with the one around them at that depth, and names are cut after 200 bytes. Per "
          "rank the `names` with the most device work inside, then the most host_self_ns, are "
          "kept.",
      .example = "rankscope table modules traces/ --set top=30",
      .columns = Columns(),
      .options = {{"top", "0", "keep the modules with the most device work; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "modules",
                 .version = 2,
                 .options = {{"names", "500", "so many modules per rank", OptionType::kCount}},
                 .tables = {SchemaOf<FrameSumPartial>().BareColumns()},
                 .map = Map},
      .reducer = ReduceBy<State>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
