#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "analysis/counters/analyses.h"
#include "analysis/counters/counter_meaning.h"
#include "analysis/counters/measured_ranges.h"
#include "analysis/op_models/modelled_ops.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "op_cost/device_name.h"
#include "op_cost/op_cost.h"
#include "peaks/device_peaks.h"
#include "schemas/counters.h"
#include "stage/reducer.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

// Of runs of one op: what was counted, by Counted; NaN where no counter says it.
struct Counts {
  std::array<double, kCountedCount> sums;
  Counts() { sums.fill(std::numeric_limits<double>::quiet_NaN()); }

  void Add(Counted what, double value) {
    double& sum = sums[static_cast<std::size_t>(what)];
    sum = std::isnan(sum) ? value : sum + value;
  }
  void Add(const Counts& other) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!std::isnan(other.sums[i])) Add(static_cast<Counted>(i), other.sums[i]);
    }
  }
  double Of(Counted what) const { return sums[static_cast<std::size_t>(what)]; }
};

struct MeasuredOpPartial : Schema<MeasuredOpPartial> {
  StringColumn op = Text("op");
  StringColumn shapes = Text("shapes", "null: not recorded");
  StringColumn device = Text("device", "its name; null when it is not known");
  IntColumn count = Int("count", "", "runs");
  IntColumn kernels = Int("kernels");
  RealColumn modelled_flops = Real("modelled_flops", "", "of one run; null without a model");
  RealColumn modelled_bytes = Real("modelled_bytes", "", "of one run; null without a model");
  std::array<RealColumn, kCountedCount> counted = {Real("vector_16_flops"), Real("vector_32_flops"),
                                                   Real("vector_64_flops"), Real("matrix_flops"),
                                                   Real("bytes"),           Real("bytes_read"),
                                                   Real("bytes_written"),   Real("duration_ns")};
};

struct CounterRooflineSum {
  std::int64_t count = 0;
  std::int64_t kernels = 0;
  std::optional<OpCost> cost;
  Counts counts;
};

std::vector<Table> MapCounterRoofline(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<MeasuredOpPartial>();
  auto table = columns.NewPartial("counter_roofline");
  const std::vector<MeasuredRange> ranges = MeasuredRanges(trace);
  if (ranges.empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  const ModelledOps ops(trace);
  std::vector<std::uint8_t> is_counted(trace.row_count());
  std::map<std::tuple<StringId, StringId, std::int64_t>, CounterRooflineSum>
      sums;  // op, shapes, device
  for (const auto& [range, launch] : ranges) {
    if (launch == kNoRow || windows.OfCall(trace.ts_ns[launch]) == Windows::kNone) continue;
    const Row modelled = ops.OwnerOfCall(launch);
    const Row op = modelled != kNoRow ? modelled : InnermostOp(trace, launch);
    if (op == kNoRow) continue;
    const StringId shapes =
        trace.aux[op] == kNoAux ? kEmptyString : trace.ops[trace.aux[op]].input_dims;
    CounterRooflineSum& sum = sums[{trace.name[op], shapes, trace.track_of(range).first}];
    if (modelled != kNoRow) sum.cost = ops.CostOfOwner(modelled);
    sum.count += is_counted[op] == 0 ? 1 : 0;
    is_counted[op] = 1;
    ++sum.kernels;
    for (const CounterArgs& counter : trace.CountersOf(range)) {
      if (const auto meaning = MeaningOfCounter(trace.strings.Get(counter.name)))
        sum.counts.Add(meaning->what, meaning->each * counter.value);
    }
  }
  for (const auto& [key, sum] : sums) {
    const auto& [op, shapes, device] = key;
    const auto& counted = columns.counted;
    const Counts& counts = sum.counts;
    const auto value = [&counts](std::size_t i) { return FiniteOrNull(counts.sums[i]); };
    table.Add({columns.op = trace.strings.Get(op),
               columns.shapes = TextOrNull(trace.strings.Get(shapes)),
               columns.device = TextOrNull(NameOfDevice(trace, device)), columns.count = sum.count,
               columns.kernels = sum.kernels,
               columns.modelled_flops = sum.cost ? Value(sum.cost->flops) : Value(kNull),
               columns.modelled_bytes = sum.cost ? Value(sum.cost->bytes) : Value(kNull),
               counted[0] = value(0), counted[1] = value(1), counted[2] = value(2),
               counted[3] = value(3), counted[4] = value(4), counted[5] = value(5),
               counted[6] = value(6), counted[7] = value(7)});
  }
  return MoveTables(std::move(table));
}

struct RowOverRanks {
  std::set<std::int64_t> ranks;
  std::int64_t count = 0;
  std::int64_t kernels = 0;
  Value modelled_flops = kNull;
  Value modelled_bytes = kNull;
  Counts counts;
};

// Seconds that the device's peaks leave for this work; NaN without a known one.
struct PeakTimes {
  double compute = std::numeric_limits<double>::quiet_NaN();
  double memory = std::numeric_limits<double>::quiet_NaN();
};

PeakTimes TimesAtPeak(const DevicePeaks& peaks, const Counts& counts) {
  PeakTimes times;
  const auto add = [&](Counted what, const PeakRate& peak) {
    const double flops = counts.Of(what);
    if (!(flops > 0) || !(peak.value > 0)) return;
    times.compute = std::fmax(times.compute, flops / peak.value);
  };
  // Units work side by side, so the slowest of them decides.
  add(Counted::kVector32, peaks.vector_32);
  add(Counted::kVector64, peaks.vector_64);
  add(Counted::kMatrix, peaks.matrix_16);
  return times;
}

struct CounterRooflineState {
  explicit CounterRooflineState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    kept.Keep(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(CounterRooflineState&& other) { kept.Merge(std::move(other.kept)); }

  Result<Table> Finish(const JobContext&) {
    std::map<std::array<std::string, 3>, RowOverRanks> sums;
    for (const auto& [of, rows] : kept.values()) AddRows(of.first, rows, sums);
    const auto& columns = SchemaOf<CounterRoofline>();
    auto table = columns.NewTable(std::string(CounterRoofline::kName));
    for (const auto& [key, sum] : sums) AddRow(key, sum, table);
    table.SortBy({{columns.flops, true}, {columns.op}, {columns.shapes}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  static void AddRows(std::int64_t rank, ViewOf<MeasuredOpPartial> rows,
                      std::map<std::array<std::string, 3>, RowOverRanks>& sums) {
    const auto& columns = SchemaOf<MeasuredOpPartial>();
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const auto text = [&](auto column) {
        return rows.IsNull(row, column) ? std::string() : std::string(rows.String(row, column));
      };
      RowOverRanks& sum = sums[{text(columns.op), text(columns.shapes), text(columns.device)}];
      sum.ranks.insert(rank);
      AddSaturating(sum.count, rows.Int(row, columns.count));
      AddSaturating(sum.kernels, rows.Int(row, columns.kernels));
      if (const auto flops = rows.Known(row, columns.modelled_flops)) sum.modelled_flops = *flops;
      if (const auto bytes = rows.Known(row, columns.modelled_bytes)) sum.modelled_bytes = *bytes;
      for (std::size_t i = 0; i < kCountedCount; ++i) {
        if (const auto value = rows.Known(row, columns.counted[i]))
          sum.counts.Add(static_cast<Counted>(i), *value);
      }
    }
  }

  static void AddRow(const std::array<std::string, 3>& key, const RowOverRanks& sum,
                     TableOf<CounterRoofline>& table) {
    const auto& columns = SchemaOf<CounterRoofline>();
    const auto runs = static_cast<double>(sum.count);
    const auto of_run = [&](Counted what) { return sum.counts.Of(what) / runs; };
    double flops = std::numeric_limits<double>::quiet_NaN();
    for (const Counted what :
         {Counted::kVector16, Counted::kVector32, Counted::kVector64, Counted::kMatrix}) {
      if (!std::isnan(of_run(what))) flops = (std::isnan(flops) ? 0 : flops) + of_run(what);
    }
    double bytes = of_run(Counted::kBytes);
    if (std::isnan(bytes)) bytes = of_run(Counted::kBytesRead) + of_run(Counted::kBytesWritten);
    const double ns = of_run(Counted::kNanoseconds);
    const auto per_second = [&](double what) {
      return ns > 0 ? FiniteOrNull(what / ns * 1e9) : Value(kNull);
    };
    PeakTimes peak;
    if (const DevicePeaks* const peaks = FindPeaks(key[2])) {
      peak = TimesAtPeak(*peaks, sum.counts);
      if (peaks->memory.value > 0) peak.memory = bytes * runs / peaks->memory.value;
    }
    const double at_peak = std::fmax(peak.compute, peak.memory);
    const bool has_both = !std::isnan(peak.compute) && !std::isnan(peak.memory);
    table.Add({columns.op = key[0],
               columns.shapes = TextOrNull(key[1]),
               columns.device = TextOrNull(key[2]),
               columns.ranks = static_cast<std::int64_t>(sum.ranks.size()),
               columns.count = sum.count,
               columns.kernels = sum.kernels,
               columns.flops = FiniteOrNull(flops),
               columns.vector_16_flops = FiniteOrNull(of_run(Counted::kVector16)),
               columns.vector_32_flops = FiniteOrNull(of_run(Counted::kVector32)),
               columns.vector_64_flops = FiniteOrNull(of_run(Counted::kVector64)),
               columns.matrix_flops = FiniteOrNull(of_run(Counted::kMatrix)),
               columns.lower_bound = std::isfinite(flops)
                                         ? Value(std::isnan(of_run(Counted::kMatrix)))
                                         : Value(kNull),
               columns.modelled_flops = sum.modelled_flops,
               columns.bytes = FiniteOrNull(bytes),
               columns.modelled_bytes = sum.modelled_bytes,
               columns.flop_per_byte = bytes > 0 ? FiniteOrNull(flops / bytes) : Value(kNull),
               columns.duration_ns = FiniteOrNull(ns),
               columns.flops_per_s = per_second(flops),
               columns.bytes_per_s = per_second(bytes),
               columns.bound = has_both ? Value(peak.compute > peak.memory ? "compute" : "memory")
                                        : Value(kNull),
               columns.efficiency_pct =
                   ns > 0 ? FiniteOrNull(100 * at_peak / (ns * runs) * 1e9) : Value(kNull)});
  }

  std::int64_t top = 0;
  PerCapture<Table> kept;
};

}  // namespace

const Analysis& CounterRooflineAnalysis() {
  static const Analysis kAnalysis = {
      .name = "counter_roofline",
      .size = Size::kDetail,
      .summary =
          "FLOPs and traffic of ops as CUPTI's counters have them, against the device's peaks",
      .definition =
          "Ranges as in kernel_counters, those of an op's launches together; of ranges whose "
          "launch "
          "is not known nothing is said. FLOPs are thread instructions "
          "(smsp__sass_thread_inst_executed_op_..._pred_on.sum), a fused multiply-add as two, and "
          "operations of matrix cores (sm__ops_path_tensor_src_....sum, of floating-point "
          "sources); bytes are dram__bytes.sum or its reads and writes; time is "
          "gpu__time_duration.sum. What no counter says is null. Time at the peaks is the longest "
          "of each unit's FLOPs at its peak (device_peaks; 16-bit vector instructions have none, "
          "matrix cores the 16-bit one) and of the bytes. modelled_flops and modelled_bytes are "
          "roofline's, from shapes: more measured bytes are read again, fewer lay in a cache.",
      .example = "rankscope table counter_roofline traces/ --set top=20",
      .columns = SchemaOf<CounterRoofline>().columns(),
      .options = {{"top", "0", "keep the ops with most FLOPs; 0 = all", OptionType::kCount}},
      .mapper = {.name = "counter_roofline",
                 .version = 1,
                 .tables = {SchemaOf<MeasuredOpPartial>().BareColumns()},
                 .uses = {kOpCostComponent},
                 .map = MapCounterRoofline},
      .reducer = ReduceBy<CounterRooflineState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
