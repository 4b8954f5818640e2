#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <utility>

#include "analysis/ops/analyses.h"
#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/places/code_places.h"
#include "facts/trace_facts.h"
#include "schemas/ops.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr std::string_view kNoFunction = "(no function)";

// Frames of one name are a group. `names` are those of the groups.
FrameGroups GroupsByName(const RankTrace& trace, const FrameTree& frames,
                         std::vector<StringId>& names) {
  FrameGroups groups;
  groups.of_frame.reserve(frames.size());
  boost::unordered_flat_map<StringId, std::uint32_t> known;
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    const StringId name = trace.name[frames.row(frame)];
    const auto [group, is_new] = known.try_emplace(name, groups.count);
    if (is_new) {
      names.push_back(name);
      ++groups.count;
    }
    groups.of_frame.push_back(group->second);
  }
  return groups;
}

std::vector<Table> MapLines(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  auto table = SchemaOf<FrameSumPartial>().NewPartial("lines");
  const FrameTree frames(trace, [&](Row row) { return IsUsersFunction(trace, row); });
  if (frames.size() == 0) return MoveTables(std::move(table));
  std::vector<StringId> names;
  const FrameGroups groups = GroupsByName(trace, frames, names);
  const CappedGroups capped = CapGroups(trace, frames, groups, BackwardWork::kInstead,
                                        CountOption(options.values, "names"));
  const std::vector<FrameSum> sums =
      SumFrames(facts, frames, capped.groups, BackwardWork::kInstead, options.steps);
  for (std::size_t group = 0; group < sums.size(); ++group) {
    if (sums[group].IsEmpty()) continue;
    const bool is_named = group < capped.kept.size();
    const bool is_last = group + 1 == sums.size();
    const std::string_view name = is_named  ? trace.strings.Get(names[capped.kept[group]])
                                  : is_last ? kNoFunction
                                            : kOtherFrames;
    AddSum({.name = name, .shapes = {}, .dtypes = {}}, sums[group], table);
  }
  return MoveTables(std::move(table));
}

struct LinesState {
  explicit LinesState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    return sums.Add(capture, tables.front());
  }
  void Merge(LinesState&& other) { sums.Merge(std::move(other.sums)); }

  Result<Table> Finish(const JobContext&) {
    std::int64_t all_ns = 0;
    for (const auto& [key, over_ranks] : sums.sums())
      AddSaturating(all_ns, over_ranks.all.AllDeviceSelf());
    const auto& columns = SchemaOf<Lines>();
    auto table = columns.NewTable("lines");
    for (const auto& [key, over_ranks] : sums.sums()) {
      const FrameSum& sum = over_ranks.all;
      const bool is_called = sum.count > 0;
      const CallTimes times = CallTimesOf(over_ranks);
      table.Add(
          {columns.line = key[0],
           columns.ranks = static_cast<std::int64_t>(over_ranks.ranks.size()),
           columns.count = sum.count,
           columns.host_total_ns = is_called ? Value(sum.host_total_ns) : Value(kNull),
           columns.host_self_ns = is_called ? Value(sum.host_self_ns) : Value(kNull),
           columns.mean_ns = times.mean_ns, columns.max_ns = times.max_ns,
           columns.device_ns = sum.AllDeviceSelf(),
           columns.share_pct = Percent(sum.AllDeviceSelf(), all_ns),
           columns.device_total_ns = SaturatingAdd(sum.device_total_ns, sum.backward_total_ns),
           columns.kernels = sum.works + sum.backward_works,
           columns.slowest_rank = times.slowest_rank,
           columns.slowest_mean_ns = times.slowest_mean_ns});
    }
    table.SortBy({{columns.device_ns, true}, {columns.host_self_ns, true}, {columns.line}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  std::int64_t top = 0;
  SumsByName sums;
};

}  // namespace

const Analysis& LinesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "lines",
      .size = Size::kDetail,
      .summary =
          "functions of the user's own code: host time, and device work forward and backward",
      .definition =
          "Python functions as the profiler recorded them (with_stack) that are the user's: "
          "frames of PyTorch, of the interpreter, of well-known packages and of nn.Module are left "
          "out; without any the table "
          "is empty. Device work belongs to the innermost of them around the launching call, and "
          "where that lies in none, but in a backward op that autograd's links (arrows, else "
          "sequence numbers) join to a forward op, to the function around the latter. So device_ns "
          "summed over all rows is all device work of the ranks with such functions, durations "
          "added. A thread's time belongs to the innermost function that is open. Per rank the "
          "`names` with the most device work inside, then the most host_self_ns, are kept.",
      .example = "rankscope table lines traces/ --limit 20",
      .columns = SchemaOf<Lines>().columns(),
      .options = {{"top", "0", "keep the lines with the most device work; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "lines",
                 .version = 3,
                 .options = {{"names", "1000", "so many functions per rank", OptionType::kCount}},
                 .tables = {SchemaOf<FrameSumPartial>().BareColumns()},
                 .map = MapLines},
      .reducer = ReduceBy<LinesState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
