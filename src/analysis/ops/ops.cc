#include "analysis/ops/analyses.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <type_traits>
#include <utility>

#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/ops.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

// What tells groups of ops apart.
struct OpKey {
  StringId name = kEmptyString;
  StringId shapes = kEmptyString;
  StringId dtypes = kEmptyString;
  friend bool operator==(const OpKey&, const OpKey&) = default;
  friend std::size_t hash_value(const OpKey& key) {
    const std::uint64_t inputs = std::uint64_t{key.shapes} << 32 | key.dtypes;
    return static_cast<std::size_t>((inputs * 0x9E3779B97F4A7C15 ^ key.name) * 0xD6E8FEB86659FD93);
  }
};

OpKey ByName(const RankTrace& trace, Row row) { return {.name = trace.name[row]}; }

OpKey ByShape(const RankTrace& trace, Row row) {
  if (trace.aux[row] == kNoAux) return ByName(trace, row);
  const OpArgs& args = trace.ops[trace.aux[row]];
  return {trace.name[row], args.input_dims, args.input_types};
}

template <typename KeyOf>
std::vector<Table> MapOps(const TraceFacts& facts, const MapOptions& options, KeyOf key_of) {
  const RankTrace& trace = facts.trace();
  const FrameTree frames(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
  FrameGroups groups;
  groups.of_frame.reserve(frames.size());
  std::vector<OpKey> keys;
  boost::unordered_flat_map<OpKey, std::uint32_t> known;
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    const auto [place, is_new] = known.emplace(key_of(trace, frames.row(frame)), groups.count);
    if (is_new) {
      keys.push_back(place->first);
      ++groups.count;
    }
    groups.of_frame.push_back(place->second);
  }
  const CappedGroups capped =
      CapGroups(trace, frames, groups, BackwardWork::kAlso, CountOption(options.values, "names"));
  const std::vector<FrameSum> sums =
      SumFrames(facts, frames, capped.groups, BackwardWork::kAlso, options.steps);

  auto table = SchemaOf<FrameSumPartial>().NewPartial("ops_by_name");
  for (std::size_t group = 0; group < sums.size(); ++group) {
    const FrameSum& sum = sums[group];
    if (sum.IsEmpty()) continue;
    if (group < capped.kept.size()) {
      const OpKey& key = keys[capped.kept[group]];
      AddSum({trace.strings.Get(key.name), trace.strings.Get(key.shapes),
              trace.strings.Get(key.dtypes)},
             sum, table);
    } else {
      AddSum({.name = group + 1 == sums.size() ? kNoOp : kOtherFrames, .shapes = {}, .dtypes = {}},
             sum, table);
    }
  }
  return MoveTables(std::move(table));
}

// Rows is OpsByName or OpsByShape.
template <typename Rows>
Table OpRows(const std::map<SumsByName::Key, SumOverRanks>& merged, std::int64_t top) {
  std::int64_t all_work = 0;
  for (const auto& [key, sums] : merged) AddSaturating(all_work, sums.all.device_self_ns);
  const auto& columns = SchemaOf<Rows>();
  auto table = columns.NewTable(std::string(Rows::kName));
  for (const auto& [key, sums] : merged) {
    const FrameSum& sum = sums.all;
    const CallTimes times = CallTimesOf(sums);
    const bool is_op = sum.count > 0;
    const auto add = [&, &name = key[0], &sums = sums](const auto&... inputs) {
      table.Add(
          {columns.name = name, inputs...,
           columns.ranks = static_cast<std::int64_t>(sums.ranks.size()), columns.count = sum.count,
           columns.host_total_ns = is_op ? Value(sum.host_total_ns) : Value(kNull),
           columns.host_self_ns = is_op ? Value(sum.host_self_ns) : Value(kNull),
           columns.mean_ns = times.mean_ns, columns.p50_ns = times.p50_ns,
           columns.p99_ns = times.p99_ns, columns.max_ns = times.max_ns,
           columns.device_total_ns = sum.device_total_ns,
           columns.device_self_ns = sum.device_self_ns,
           columns.share_pct = Percent(sum.device_self_ns, all_work), columns.kernels = sum.works,
           columns.backward_ns = sum.backward_total_ns, columns.slowest_rank = times.slowest_rank,
           columns.slowest_mean_ns = times.slowest_mean_ns});
    };
    if constexpr (std::is_same_v<Rows, OpsByShape>) {
      add(columns.shapes = TextOrNull(key[1]), columns.dtypes = TextOrNull(key[2]));
    } else {
      add();
    }
  }
  table.SortBy({{columns.device_self_ns, true}, {columns.host_self_ns, true}});
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

template <typename Rows>
struct OpsState {
  explicit OpsState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    return sums.Add(capture, tables.front());
  }
  void Merge(OpsState&& other) { sums.Merge(std::move(other.sums)); }
  Result<Table> Finish(const JobContext&) { return OpRows<Rows>(sums.sums(), top); }

  std::int64_t top = 0;
  SumsByName sums;
};

constexpr std::string_view kOpsDefinition =
    "Host: a call's duration, summed. host_self_ns is the time of a thread in which the op is the "
    "innermost one that is open, so it holds the op's calls of the device API, and sums over ops "
    "to the time in which threads were inside any op. Device: work belongs to the call that "
    "launched it, by correlation id, and a call to the innermost op around it on its thread; the "
    "kernels of a graph belong to the op around the graph's launch. device_self_ns sums over ops "
    "and (no op) to all device work, durations added (work that overlaps counts more than once). "
    "device_total_ns also counts what ops inside launched; where an op lies in itself, totals "
    "count the outer one. Work of a backward op belongs to that op, on autograd's thread; by "
    "autograd's links (arrows, else sequence numbers) backward_ns gives it to the forward op and "
    "those around that, too. With --steps calls count in the step in which they begin, and work "
    "in the one in which it begins itself. Percentiles are nearest-rank values read from 64 "
    "buckets per power of two. Per rank the `names` with the most device work inside (backward "
    "work, too), then the most host_self_ns, are kept.";

}  // namespace

const Analysis& OpsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "ops_by_name",
      .summary = "operators by name: host time, and the device work that they launch",
      .definition = std::string(kOpsDefinition),
      .example = "rankscope table ops_by_name traces/ --set top=20",
      .columns = SchemaOf<OpsByName>().columns(),
      .options = {{"top", "0", "keep the rows with the most device work of their own; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "ops_by_name",
                 .version = 2,
                 .options = {{"names", "500", "so many names per rank", OptionType::kCount}},
                 .tables = {SchemaOf<FrameSumPartial>().BareColumns()},
                 .map = [](const TraceFacts& facts,
                           const MapOptions& options) { return MapOps(facts, options, ByName); }},
      .reducer = ReduceBy<OpsState<OpsByName>>(),
  };
  return kAnalysis;
}

const Analysis& OpsByShapeAnalysis() {
  static const Analysis kAnalysis = {
      .name = "ops_by_shape",
      .size = Size::kDetail,
      .summary = "operators by name, input shapes and types: host time and device work",
      .definition =
          "As ops, but calls with other input shapes or types are apart; what is called "
          "an op there is a row here. " +
          std::string(kOpsDefinition),
      .example = "rankscope table ops_by_shape traces/ --set top=50",
      .columns = SchemaOf<OpsByShape>().columns(),
      .options = {{"top", "0", "keep the rows with the most device work of their own; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "ops_by_shape",
                 .version = 2,
                 .options = {{"names", "5000", "so many rows per rank", OptionType::kCount}},
                 .tables = {SchemaOf<FrameSumPartial>().BareColumns()},
                 .map = [](const TraceFacts& facts,
                           const MapOptions& options) { return MapOps(facts, options, ByShape); }},
      .reducer = ReduceBy<OpsState<OpsByShape>>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
