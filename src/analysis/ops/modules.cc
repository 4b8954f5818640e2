#include "analysis/ops/analyses.h"

#include <algorithm>
#include <utility>

#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/places/module_paths.h"
#include "facts/trace_facts.h"
#include "schemas/ops.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::vector<Table> MapModuleSums(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  auto table = SchemaOf<FrameSumPartial>().NewPartial("modules");
  const FrameTree frames(trace, [&](Row row) { return IsModule(trace, row); });
  if (frames.size() == 0) return MoveTables(std::move(table));
  const ModulePaths paths = ModulePathsOf(trace, frames);
  const CappedGroups capped = CapGroups(trace, frames, paths.groups, BackwardWork::kInstead,
                                        CountOption(options.values, "names"));
  const std::vector<FrameSum> sums =
      SumFrames(facts, frames, capped.groups, BackwardWork::kInstead, options.steps);
  for (std::size_t group = 0; group < sums.size(); ++group) {
    if (sums[group].IsEmpty()) continue;
    const std::string path = group < capped.kept.size()
                                 ? ModulePathText(trace, paths, capped.kept[group])
                                 : std::string(group + 1 == sums.size() ? kNoModule : kOtherFrames);
    AddSum({.name = path, .shapes = {}, .dtypes = {}}, sums[group], table);
  }
  return MoveTables(std::move(table));
}

// Other rows than modules have none.
Value LevelOf(std::string_view path) {
  if (path == kNoModule || path == kOtherFrames) return kNull;
  return static_cast<std::int64_t>(std::count(path.begin(), path.end(), '/'));
}

Table RowsOf(const std::map<SumsByName::Key, SumOverRanks>& merged, std::int64_t top) {
  std::int64_t all_work = 0;
  for (const auto& [key, sums] : merged) AddSaturating(all_work, sums.all.AllDeviceSelf());
  const auto& columns = SchemaOf<Modules>();
  auto table = columns.NewTable("modules");
  for (const auto& [key, sums] : merged) {
    const FrameSum& sum = sums.all;
    const bool is_called = sum.count > 0;
    const std::int64_t device_ns = SaturatingAdd(sum.device_total_ns, sum.backward_total_ns);
    const CallTimes times = CallTimesOf(sums);
    table.Add(
        {columns.path = key[0], columns.level = LevelOf(key[0]),
         columns.ranks = static_cast<std::int64_t>(sums.ranks.size()), columns.count = sum.count,
         columns.host_total_ns = is_called ? Value(sum.host_total_ns) : Value(kNull),
         columns.host_self_ns = is_called ? Value(sum.host_self_ns) : Value(kNull),
         columns.mean_ns = times.mean_ns, columns.p50_ns = times.p50_ns,
         columns.p99_ns = times.p99_ns, columns.max_ns = times.max_ns,
         columns.device_total_ns = device_ns, columns.share_pct = Percent(device_ns, all_work),
         columns.forward_total_ns = sum.device_total_ns,
         columns.forward_self_ns = sum.device_self_ns,
         columns.backward_total_ns = sum.backward_total_ns,
         columns.backward_self_ns = sum.backward_self_ns,
         columns.kernels = sum.works + sum.backward_works,
         columns.slowest_rank = times.slowest_rank,
         columns.slowest_mean_ns = times.slowest_mean_ns});
  }
  table.SortBy({{columns.device_total_ns, true}, {columns.host_total_ns, true}});
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

struct ModulesState {
  explicit ModulesState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    return sums.Add(capture, tables.front());
  }
  void Merge(ModulesState&& other) { sums.Merge(std::move(other.sums)); }
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
          "device work of the ranks with modules, durations added. Modules more than 64 deep count "
          "with the one around them at that depth, and names are cut after 200 bytes. Per rank the "
          "`names` with the most device work inside, then the most host_self_ns, are kept.",
      .example = "rankscope table modules traces/ --set top=30",
      .columns = SchemaOf<Modules>().columns(),
      .options = {{"top", "0", "keep the modules with the most device work; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "modules",
                 .version = 2,
                 .options = {{"names", "500", "so many modules per rank", OptionType::kCount}},
                 .tables = {SchemaOf<FrameSumPartial>().BareColumns()},
                 .map = MapModuleSums},
      .reducer = ReduceBy<ModulesState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
