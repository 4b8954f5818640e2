#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "analysis/counters/analyses.h"
#include "analysis/counters/measured_ranges.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "schemas/counters.h"
#include "stage/reducer.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

struct CounterPartial : Schema<CounterPartial> {
  StringColumn kernel = Text("kernel");
  StringColumn op = Text("op", "null: not known");
  StringColumn counter = Text("counter");
  IntColumn count = Int("count");
  RealColumn sum = Real("sum");
  RealColumn min = Real("min");
  RealColumn max = Real("max");
};

struct KernelCountersSum {
  std::int64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;

  void Add(const KernelCountersSum& other) {
    min = count == 0 ? other.min : std::min(min, other.min);
    max = count == 0 ? other.max : std::max(max, other.max);
    sum += other.sum;
    AddSaturating(count, other.count);
  }
};

std::vector<Table> MapKernelCounters(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  std::map<std::tuple<StringId, StringId, StringId>, KernelCountersSum>
      sums;  // kernel, op, counter
  for (const MeasuredRange& range : MeasuredRanges(trace)) {
    if (options.steps &&
        (range.launch == kNoRow || windows.OfCall(trace.ts_ns[range.launch]) == Windows::kNone))
      continue;
    const Row op = InnermostOp(trace, range.launch);
    const StringId op_name = op == kNoRow ? kEmptyString : trace.name[op];
    for (const CounterArgs& counter : trace.CountersOf(range.range)) {
      sums[{trace.name[range.range], op_name, counter.name}].Add(
          {1, counter.value, counter.value, counter.value});
    }
  }
  const auto& columns = SchemaOf<CounterPartial>();
  auto table = columns.NewPartial("kernel_counters");
  for (const auto& [key, sum] : sums) {
    const auto& [kernel, op, counter] = key;
    table.Add({columns.kernel = trace.strings.Get(kernel),
               columns.op = TextOrNull(trace.strings.Get(op)),
               columns.counter = trace.strings.Get(counter), columns.count = sum.count,
               columns.sum = sum.sum, columns.min = sum.min, columns.max = sum.max});
  }
  return MoveTables(std::move(table));
}

struct KernelOverRanks {
  KernelCountersSum all;
  std::set<std::int64_t> ranks;
};

struct KernelCountersState {
  explicit KernelCountersState(const Options& /*options*/) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    kept.Keep(capture, TableOf<CounterPartial>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(KernelCountersState&& other) { kept.Merge(std::move(other.kept)); }

  Result<Table> Finish(const JobContext&) {
    const auto& partial = SchemaOf<CounterPartial>();
    std::map<std::array<std::string, 3>, KernelOverRanks> sums;
    for (const auto& [of, table] : kept.values()) {
      for (std::size_t row = 0; row < table.row_count(); ++row) {
        const std::string op =
            table.IsNull(row, partial.op) ? "" : std::string(table.String(row, partial.op));
        KernelOverRanks& entry = sums[{std::string(table.String(row, partial.kernel)), op,
                                       std::string(table.String(row, partial.counter))}];
        entry.all.Add({table.Int(row, partial.count), table.Double(row, partial.sum),
                       table.Double(row, partial.min), table.Double(row, partial.max)});
        entry.ranks.insert(of.first);
      }
    }
    const auto& columns = SchemaOf<KernelCounters>();
    auto table = columns.NewTable(std::string(KernelCounters::kName));
    for (const auto& [key, entry] : sums) {
      const KernelCountersSum& sum = entry.all;
      table.Add({columns.kernel = key[0], columns.op = TextOrNull(key[1]), columns.counter = key[2],
                 columns.ranks = static_cast<std::int64_t>(entry.ranks.size()),
                 columns.count = sum.count, columns.sum = sum.sum,
                 columns.mean = sum.sum / static_cast<double>(sum.count), columns.min = sum.min,
                 columns.max = sum.max});
    }
    return table;
  }

  PerCapture<TableOf<CounterPartial>> kept;
};

}  // namespace

const Analysis& KernelCountersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_counters",
      .size = Size::kDetail,
      .summary = "CUPTI's counters of kernels, by kernel and op",
      .definition =
          "The numbers of events of category cuda_profiler_range, which Kineto writes when it is "
          "asked to measure counters (profiler_metrics, with profiler_measure_per_kernel one range "
          "per kernel). Times of such ranges mean nothing; their order is the kernels'. Where a "
          "rank has as many ranges as calls that launch a kernel they are paired by place, and "
          "op is the innermost around the call; else op is null, and --steps leaves them out. "
          "hta.cupti_counters has each range.",
      .example = "rankscope table kernel_counters traces/",
      .columns = SchemaOf<KernelCounters>().columns(),
      .mapper = {.name = "kernel_counters",
                 .version = 1,
                 .tables = {SchemaOf<CounterPartial>().BareColumns()},
                 .map = MapKernelCounters},
      .reducer = ReduceBy<KernelCountersState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
