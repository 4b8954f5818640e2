#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/counters/analyses.h"
#include "analysis/counters/measured_ranges.h"
#include "analysis/counters/sample_series.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "schemas/counters.h"
#include "stage/reduce.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

struct SamplesOfStep {
  std::int64_t samples = 0;
  std::int64_t ns = 0;
  double integral = 0;
  double min = 0;
  double max = 0;

  void Add(const Sample& sample) {
    min = samples == 0 ? sample.value : std::min(min, sample.value);
    max = samples == 0 ? sample.value : std::max(max, sample.value);
    ++samples;
    AddSaturating(ns, sample.end - sample.begin);
    integral += sample.value * static_cast<double>(sample.end - sample.begin);
  }
};

Windows WindowsOf(const TraceFacts& facts, std::int64_t device, const StepFilter& steps) {
  for (const DeviceTime& time : facts.devices()) {
    if (time.device == device) return Windows::OfDevice(facts, time, steps);
  }
  return Windows::OfHost(facts, steps);
}

std::vector<Table> MapSteps(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<SampledCounters>();
  auto table = columns.NewPartial("sampled_counters");
  for (const auto& [key, series] : SeriesOf(trace)) {
    const auto& [device, source, counter] = key;
    const Windows windows = WindowsOf(facts, device, options.steps);
    std::vector<SamplesOfStep> sums(windows.size());
    for (const Sample& sample : series.samples()) {
      const std::size_t window = windows.At(sample.begin);
      if (window != Windows::kNone) sums[window].Add(sample);
    }
    for (std::size_t w = 0; w < sums.size(); ++w) {
      const SamplesOfStep& sum = sums[w];
      if (sum.samples == 0) continue;
      table.Add({columns.device = device, columns.step = windows[w].StepValue(),
                 columns.source = trace.strings.Get(source),
                 columns.counter = trace.strings.Get(counter), columns.samples = sum.samples,
                 columns.mean = sum.ns > 0
                                    ? FiniteOrNull(sum.integral / static_cast<double>(sum.ns))
                                    : Value(kNull),
                 columns.min = sum.min, columns.max = sum.max});
    }
  }
  return MoveTables(std::move(table));
}

struct SampledPartial : Schema<SampledPartial> {
  StringColumn kernel = Text("kernel");
  StringColumn op = Text("op", "null: not known");
  StringColumn source = Text("source");
  StringColumn counter = Text("counter");
  IntColumn ns = Int("ns");
  RealColumn integral = Real("integral", "", "of value over ns");
};

struct Covering {
  std::int64_t ns = 0;
  double integral = 0;
};

std::vector<Table> MapKernels(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<SampledPartial>();
  auto table = columns.NewPartial("sampled_kernels");
  const std::map<SeriesKey, SampleSeries> all = SeriesOf(trace);
  if (all.empty()) return MoveTables(std::move(table));
  // kernel, op, source, counter
  std::map<std::tuple<StringId, StringId, StringId, StringId>, Covering> sums;
  for (const DeviceTime& device : facts.devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    const auto first = all.lower_bound({device.device, 0, 0});
    for (const Row row : device.work) {
      if (options.steps && windows.OfWork(row) == Windows::kNone) continue;
      const Row op = InnermostOp(trace, trace.link[row]);
      for (auto one = first; one != all.end() && std::get<0>(one->first) == device.device; ++one) {
        const SampleSeries::Covered covered = one->second.Over(trace.ts_ns[row], trace.end_ns(row));
        if (covered.ns <= 0) continue;
        Covering& sum = sums[{trace.name[row], op == kNoRow ? kEmptyString : trace.name[op],
                              std::get<1>(one->first), std::get<2>(one->first)}];
        AddSaturating(sum.ns, covered.ns);
        sum.integral += covered.integral;
      }
    }
  }
  for (const auto& [key, sum] : sums) {
    const auto& [kernel, op, source, counter] = key;
    if (!std::isfinite(sum.integral)) continue;
    table.Add(
        {columns.kernel = trace.strings.Get(kernel), columns.op = TextOrNull(trace.strings.Get(op)),
         columns.source = trace.strings.Get(source), columns.counter = trace.strings.Get(counter),
         columns.ns = sum.ns, columns.integral = sum.integral});
  }
  return MoveTables(std::move(table));
}

struct SampledCountersState {
  explicit SampledCountersState(const Options& /*options*/) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    kept.Keep(capture, TableOf<SampledPartial>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(SampledCountersState&& other) { kept.Merge(std::move(other.kept)); }

  Result<Table> Finish(const JobContext&) {
    struct OverRanks {
      std::set<std::int64_t> ranks;
      Covering covering;
    };
    const auto& partial = SchemaOf<SampledPartial>();
    std::map<std::array<std::string, 4>, OverRanks> sums;
    for (const auto& [of, rows] : kept.values()) {
      for (std::size_t row = 0; row < rows.row_count(); ++row) {
        const std::string op =
            rows.IsNull(row, partial.op) ? "" : std::string(rows.String(row, partial.op));
        OverRanks& sum = sums[{std::string(rows.String(row, partial.kernel)), op,
                               std::string(rows.String(row, partial.source)),
                               std::string(rows.String(row, partial.counter))}];
        sum.ranks.insert(of.first);
        AddSaturating(sum.covering.ns, rows.Int(row, partial.ns));
        sum.covering.integral += rows.Double(row, partial.integral);
      }
    }
    const auto& columns = SchemaOf<SampledKernels>();
    auto table = columns.NewTable(std::string(SampledKernels::kName));
    for (const auto& [key, sum] : sums) {
      table.Add({columns.kernel = key[0], columns.op = TextOrNull(key[1]), columns.source = key[2],
                 columns.counter = key[3],
                 columns.ranks = static_cast<std::int64_t>(sum.ranks.size()),
                 columns.sampled_ns = sum.covering.ns,
                 columns.mean =
                     FiniteOrNull(sum.covering.integral / static_cast<double>(sum.covering.ns))});
    }
    table.SortBy({{columns.source},
                  {columns.counter},
                  {columns.sampled_ns, true},
                  {columns.kernel},
                  {columns.op}});
    return table;
  }

  PerCapture<TableOf<SampledPartial>> kept;
};

constexpr std::string_view kSampleText =
    "A sample holds until the next one, but not longer than twice the median distance of the "
    "counter's samples, and the last for that distance.";

}  // namespace

const Analysis& SampledCountersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "sampled_counters",
      .size = Size::kDetail,
      .summary = "counters sampled over time, by device and step",
      .definition =
          "Every number of counter events (ph C), such as those that Kineto writes of CUPTI's PM "
          "sampling: the event's pid is the device. " +
          std::string(kSampleText) +
          " mean = sum of value * time / sum of time, over the samples that begin in the step.",
      .example = "rankscope table sampled_counters traces/ --ranks 0",
      .columns = SchemaOf<SampledCounters>().columns(),
      .mapper = {.name = "sampled_counters",
                 .version = 1,
                 .tables = {SchemaOf<SampledCounters>().BareColumns()},
                 .map = MapSteps},
      .reducer = JoinRows<SampledCounters>(SchemaOf<SampledCounters>().counter),
  };
  return kAnalysis;
}

const Analysis& SampledKernelsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "sampled_kernels",
      .size = Size::kDetail,
      .summary = "sampled counters while each kernel runs, by kernel and op",
      .definition =
          "The samples of sampled_counters over the time of each kernel, copy and memset of their "
          "device; work that runs side by side shares what is sampled. " +
          std::string(kSampleText) +
          " mean = integral of the value over that time / sampled_ns. A kernel that is much "
          "shorter than the distance of samples has the mean of what ran around it, too.",
      .example = "rankscope table sampled_kernels traces/",
      .columns = SchemaOf<SampledKernels>().columns(),
      .mapper = {.name = "sampled_kernels",
                 .version = 1,
                 .tables = {SchemaOf<SampledPartial>().BareColumns()},
                 .map = MapKernels},
      .reducer = ReduceBy<SampledCountersState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
