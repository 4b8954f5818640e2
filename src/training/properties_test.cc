// What must hold for every analysis on every trace: random traces of hostile shapes (work without
// extent, without launch, before its launch, over everything; graphs; negative ids; absurd numbers)
// go through all analyses, and the identities between their tables are checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "analysis/copies/analyses.h"
#include "analysis/critical_path/analyses.h"
#include "analysis/device/analyses.h"
#include "analysis/kernels/analyses.h"
#include "analysis/kernels/kernels_by_name.h"
#include "analysis/launches/analyses.h"
#include "analysis/memory/analyses.h"
#include "analysis/ops/analyses.h"
#include "analysis/steps/analyses.h"
#include "stage/job_for_test.h"
#include "table/codec.h"
#include "training/list.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 12> kWorkNames = {"sgemm",
                                                         "ncclDevKernel_AllReduce",
                                                         "elementwise_kernel",
                                                         "triton_poi_fused_add_0",
                                                         "reduce_kernel",
                                                         "flash_fwd_kernel",
                                                         "",
                                                         "merge",
                                                         "cub::DeviceScanKernel",
                                                         "layer_norm_kernel",
                                                         "rcclx",
                                                         "multi_tensor_apply_kernel"};
constexpr std::array<std::string_view, 6> kCopyNames = {"Memcpy HtoD (Pageable -> Device)",
                                                        "Memcpy DtoH (Device -> Pinned)",
                                                        "Memcpy DtoD",
                                                        "Memcpy )(",
                                                        "CopyHostToDevice",
                                                        ""};
constexpr std::array<std::string_view, 8> kHostNames = {
    "aten::mm",
    "autograd::engine::evaluate_function: MmBackward0",
    "Optimizer.step#SGD.step",
    "forward",
    "my backward",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    "nn.Module: Linear_0",
    "MulBackward0"};
constexpr std::array<std::string_view, 7> kCallNames = {
    "cudaLaunchKernel", "cudaGraphLaunch",        "cudaMemcpyAsync",     "cudaStreamSynchronize",
    "runFunction",      "cudaStreamBeginCapture", "cudaStreamEndCapture"};

class RandomTrace {
 public:
  explicit RandomTrace(std::uint64_t seed) : random_(seed) {}

  RankTrace Make() {
    const bool is_absurd = Below(8) == 0;
    span_ = is_absurd ? std::int64_t{1} << 60 : 1 + Below(5) * 50'000;
    if (Below(4) != 0) AddSteps();
    for (std::int64_t n = Below(40); n > 0; --n) AddHost();
    for (std::int64_t n = Below(60); n > 0; --n) AddCall();
    for (std::int64_t n = Below(120); n > 0; --n) AddWork(is_absurd);
    for (std::int64_t n = Below(2) * Below(80); n > 0; --n) AddMemory(is_absurd);
    return trace_.Build(is_absurd ? std::int64_t{1} << 61 : Below(3) * 1'000'000'007);
  }

 private:
  std::int64_t Below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  template <std::size_t kCount>
  std::string_view AnyOf(const std::array<std::string_view, kCount>& names) {
    return names[random_() % kCount];
  }
  std::int64_t Time() { return Below(span_) - (Below(20) == 0 ? span_ / 3 : 0); }
  std::int64_t Duration() {
    switch (Below(10)) {
      case 0:
        return 0;
      case 1:
        return span_;
      case 2:
        return kNoDuration;
      default:
        return Below(span_ / 20 + 2);
    }
  }

  void AddSteps() {
    std::int64_t at = Below(span_) / 4;
    for (std::int64_t number = 5 + Below(3), n = 1 + Below(6); n > 0; --n, ++number) {
      const std::int64_t length = 1 + Below(span_ / 5 + 1);
      trace_.Step(number, at, Below(6) == 0 ? kNoDuration : length);
      at += length;
    }
  }
  void AddHost() {
    const EventKind kinds[] = {EventKind::kCpuOp, EventKind::kUserAnnotation,
                               EventKind::kPythonFunction};
    trace_.Host(Below(3) - 1, kinds[Below(3)], AnyOf(kHostNames), Time(), Duration());
  }
  void AddCall() {
    trace_.Host(Below(3) - 1, EventKind::kRuntime, AnyOf(kCallNames), Time(), Duration(),
                Below(40));
  }
  void AddWork(bool is_absurd) {
    const std::int64_t stream = Below(4) - 1;
    const std::int64_t correlation = Below(4) == 0 ? kNoCorrelation : Below(40);
    const std::int64_t bytes = is_absurd ? INT64_MAX - Below(10) : Below(100'000) - 100;
    switch (Below(6)) {
      case 0:
        trace_.Copy(stream, bytes, Time(), Duration(), correlation, AnyOf(kCopyNames));
        break;
      case 1:
        trace_.Memset(stream, bytes, Time(), Duration(), correlation);
        break;
      default: {
        trace_.Kernel(stream, AnyOf(kWorkNames), Time(), Duration(), correlation, Below(2) * 7 - 1);
        if (Below(2) == 0) break;
        KernelArgs args;
        args.grid = {static_cast<std::int32_t>(Below(2)), 1, 1};
        args.blocks_per_sm = Below(9) == 0 ? INFINITY : static_cast<float>(Below(30)) / 10;
        args.occupancy_pct = static_cast<float>(Below(300) - 50);
        trace_.Args(args);
      }
    }
  }

  // Of several devices, addresses few and totals often not stated or in contradiction.
  void AddMemory(bool is_absurd) {
    MemoryArgs args;
    args.address = Below(8);
    args.bytes = is_absurd ? static_cast<std::int64_t>(random_()) : Below(2000) - 1000;
    if (Below(3) != 0) args.total_allocated = is_absurd ? INT64_MAX - Below(9) : Below(20'000);
    if (Below(3) != 0) args.total_reserved = Below(40'000) - 100;
    args.device_type = static_cast<std::int32_t>(Below(3));
    args.device = static_cast<std::int32_t>(Below(3) - 1);
    trace_.Memory(Below(3) - 1, Time(), args);
  }

  std::mt19937_64 random_;
  std::int64_t span_ = 1;
  TraceForTest trace_;
};

// The traces of a job and the job.
struct RandomJob {
  explicit RandomJob(std::uint64_t seed) {
    std::int64_t index = 0;
    for (std::uint64_t i = 0; i < 1 + seed % 4; ++i) {
      const bool is_second = i == 3;  // rank 2 was recorded twice
      index = is_second ? 1 : 0;
      traces.push_back(RandomTrace(seed * 10 + i).Make());
      job.Add(static_cast<std::int64_t>(is_second ? 2 : i), RandomTrace(seed * 10 + i).Make(),
              index);
    }
  }
  std::vector<RankTrace> traces;
  JobForTest job;
};

using Key = std::vector<std::string>;

// Sum of some columns by the text of others.
std::map<Key, double> SumBy(const Table& table, const std::vector<std::string_view>& keys,
                            const std::vector<std::string_view>& columns) {
  std::map<Key, double> sums;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    Key key;
    for (const std::string_view column : keys) {
      const Value value = Cell(table, row, column);
      const auto* number = std::get_if<std::int64_t>(&value);
      key.push_back(number != nullptr ? std::to_string(*number) : "-");
    }
    for (const std::string_view column : columns) {
      const Value value = Cell(table, row, column);
      if (const auto* whole = std::get_if<std::int64_t>(&value))
        sums[key] += static_cast<double>(*whole);
      if (const auto* real = std::get_if<double>(&value)) sums[key] += *real;
    }
  }
  return sums;
}

double SumOf(const Table& table, std::string_view column) {
  double sum = 0;
  for (const auto& [key, value] : SumBy(table, {}, {column})) sum += value;
  return sum;
}

void ExpectNear(double a, double b, std::string_view what) {
  EXPECT_NEAR(a, b, 1e-9 * std::max({1.0, std::abs(a), std::abs(b)})) << what;
}

// Where one side has no row, the other must be 0.
void ExpectSame(const std::map<Key, double>& a, const std::map<Key, double>& b,
                std::string_view what) {
  for (const auto& [key, value] : a) ExpectNear(value, b.contains(key) ? b.at(key) : 0, what);
  for (const auto& [key, value] : b) ExpectNear(value, a.contains(key) ? a.at(key) : 0, what);
}

// In every row: no negative length or count, shares of at most 100 %, order statistics in order.
void ExpectSound(const Table& table) {
  const std::vector<std::string_view> ascending = {"min_ns", "p25_ns", "p50_ns", "median_ns",
                                                   "p75_ns", "p90_ns", "p99_ns", "max_ns"};
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    double last = -1;
    for (const std::string_view name : ascending) {
      const auto column = table.Find(name);
      if (!column || table.name() == "kernel_outliers" || table.IsNull(row, *column)) continue;
      const Value value = table.At(row, *column);
      const auto* whole = std::get_if<std::int64_t>(&value);
      const double number =
          whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
      EXPECT_GE(number * (1 + 1e-12), last) << table.name() << "." << name;
      last = number;
    }
    for (std::size_t column = 0; column < table.column_count(); ++column) {
      const ColumnSpec& spec = table.columns()[column];
      if (table.IsNull(row, column)) continue;
      const bool is_signed =
          spec.name == "vs_median_pct" || spec.name == "change_pct" || spec.name == "start_ns" ||
          spec.name == "ts_ns" || spec.name == "peak_ts_ns" || spec.name == "byte" ||
          spec.name == "offset_ns" || spec.name == "lag_ns" ||
          // A change may cost, and steps differ by more than they take.
          spec.name == "gain_pct" || spec.name == "gain_ns" || spec.name == "spread_pct" ||
          spec.name == "error_pct" || spec.name == "prediction_error_pct";
      if (spec.type == ColumnType::kInt64 && spec.unit == "ns" && !is_signed) {
        EXPECT_GE(table.Int(row, column), 0) << table.name() << "." << spec.name;
      }
      if (spec.type == ColumnType::kDouble && spec.unit == "%" && !is_signed) {
        EXPECT_GE(table.Double(row, column), 0) << table.name() << "." << spec.name;
        EXPECT_LE(table.Double(row, column), 100 * (1 + 1e-9)) << table.name() << "." << spec.name;
      }
    }
  }
}

// What can be said of the traces without any analysis.
struct Truth {
  double works = 0;
  double copies = 0;
  double memsets = 0;
  double linked = 0;
  double works_beside_modules = 0;  // on the ranks that have modules
  double ops = 0;
  double op_ns = 0;  // time of threads inside any op
  double waiting_ns = 0;
  double bytes = 0;
  double allocations = 0;
  std::map<Key, double> stream_ns;  // (rank, capture, device, stream): first begin to last end
  std::map<Key, double> busy_ns;    // of the streams, united
};

Truth TruthOf(const RandomJob& random) {
  Truth truth;
  for (std::size_t i = 0; i < random.traces.size(); ++i) {
    const RankTrace& trace = random.traces[i];
    // Without any extent there is no recording to divide.
    for (std::size_t m = 0; trace.begin_ns < trace.finish_ns && m < trace.memory.size(); ++m)
      truth.allocations += trace.memory[m].bytes > 0;
    const double works_before = truth.works;
    bool has_modules = false;
    for (Row row = 0; row < trace.row_count(); ++row) {
      has_modules |= trace.kind[row] == EventKind::kPythonFunction && trace.dur_ns[row] >= 0 &&
                     trace.name_of(row).starts_with("nn.Module: ");
    }
    for (const Track& track : trace.tracks) {
      std::vector<Interval> extents;
      if (track.domain == Domain::kHost) {
        for (Row row = track.begin; row < track.end; ++row) {
          if (trace.kind[row] != EventKind::kCpuOp || trace.dur_ns[row] < 0) continue;
          ++truth.ops;
          extents.push_back({trace.ts_ns[row], trace.end_ns(row)});
        }
        truth.op_ns += static_cast<double>(Total(Normalise(std::move(extents))));
      }
      if (track.domain != Domain::kDevice) continue;
      for (Row row = track.begin; row < track.end; ++row) {
        if (trace.dur_ns[row] < 0) continue;
        const bool is_copy = trace.kind[row] == EventKind::kMemcpy;
        const bool is_memset = trace.kind[row] == EventKind::kMemset;
        ++truth.works;
        truth.copies += is_copy;
        truth.memsets += is_memset;
        if (is_copy || is_memset)
          truth.bytes +=
              static_cast<double>(std::max<std::int64_t>(0, trace.copies[trace.aux[row]].bytes));
        if (trace.dur_ns[row] > 0) extents.push_back({trace.ts_ns[row], trace.end_ns(row)});
      }
      for (Row row = track.begin; row < track.end; ++row) {
        const Row call = trace.link[row];
        if (call == kNoRow) continue;
        truth.linked += trace.dur_ns[call] >= 0;
        // Rows without extent may lie outside of the recording.
        const std::int64_t from = std::max(trace.ts_ns[call], trace.begin_ns);
        const std::int64_t until = std::min(trace.ts_ns[row], trace.finish_ns);
        truth.waiting_ns += static_cast<double>(std::max<std::int64_t>(0, until - from));
      }
      const IntervalSet busy = Normalise(std::move(extents));
      if (busy.empty()) continue;
      const Key key = {std::to_string(i == 3 ? 2 : i), i == 3 ? "1" : "0",
                       std::to_string(track.first), std::to_string(track.second)};
      truth.stream_ns[key] = static_cast<double>(busy.back().end - busy.front().begin);
      truth.busy_ns[key] = static_cast<double>(Total(busy));
    }
    if (has_modules) truth.works_beside_modules += truth.works - works_before;
  }
  return truth;
}

// Of one rank's group: what is its own is part of its totals.
void ExpectOwnWithinTotals(const Table& table) {
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    EXPECT_LE(IntCell(table, row, "device_self_ns"), IntCell(table, row, "device_total_ns"));
  }
}

void CheckIdentities(const JobForTest& job, const Truth& truth) {
  const auto run = [&](const Analysis& analysis) { return job.Run(analysis); };
  const std::vector<std::string_view> window = {"rank", "capture", "device", "step"};
  const Table breakdown = run(TimeBreakdownAnalysis());
  const auto busy =
      SumBy(breakdown, window, {"compute_ns", "exposed_communication_ns", "exposed_copy_ns"});
  ExpectSame(SumBy(breakdown, window,
                   {"compute_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_host_ns",
                    "idle_data_ns", "idle_sync_ns", "idle_launch_ns", "idle_gap_ns",
                    "idle_stream_ns", "unknown_ns", "not_observed_ns"}),
             SumBy(breakdown, window, {"duration_ns"}), "parts of time_breakdown");
  ExpectSame(SumBy(run(ClassOverlapAnalysis()), window, {"time_ns"}), busy, "class_overlap");
  const Table path = run(CriticalPathAnalysis());
  const std::vector<std::string_view> rank_window = {"rank", "capture", "step"};
  ExpectSame(SumBy(path, rank_window,
                   {"host_ns", "data_loading_ns", "launch_ns", "kernel_gap_ns", "compute_ns",
                    "communication_ns", "copy_ns", "unexplained_ns"}),
             SumBy(path, rank_window, {"duration_ns"}), "causes of critical_path");
  ExpectNear(SumOf(run(CriticalPathOpsAnalysis()), "time_ns"),
             SumOf(run(JobCriticalPathAnalysis()), "duration_ns"), "critical_path_ops");
  ExpectNear(SumOf(run(CriticalPathEventsAnalysis()), "dur_ns"), SumOf(path, "duration_ns"),
             "critical_path_events");
  const Table utilisation = run(UtilisationAnalysis());
  ExpectSame(SumBy(utilisation, window, {"busy_ns"}), busy, "utilisation");
  for (std::size_t row = 0; row < utilisation.row_count(); ++row) {
    const Value efficiency = Cell(utilisation, row, "sm_efficiency_pct");
    const auto* value = std::get_if<double>(&efficiency);
    if (value == nullptr) continue;
    EXPECT_LE(*value, std::get<double>(Cell(utilisation, row, "busy_pct")) + 1e-9);
  }
  const Table overlap = run(OverlapAnalysis());
  for (std::size_t row = 0; row < overlap.row_count(); ++row) {
    EXPECT_LE(IntCell(overlap, row, "communication_hidden_ns"),
              IntCell(overlap, row, "communication_ns"));
    EXPECT_LE(IntCell(overlap, row, "copy_hidden_ns"), IntCell(overlap, row, "copy_ns"));
  }
  const Table phases = run(PhasesAnalysis());
  const std::vector<std::string_view> host_window = {"rank", "capture", "step"};
  for (const auto& [key, share] : SumBy(phases, host_window, {"share_pct"}))
    ExpectNear(share, 100, "phases sum to the window");

  auto streams =
      SumBy(run(StreamGapsAnalysis()), {"rank", "capture", "device", "stream"}, {"total_ns"});
  for (const auto& [key, ns] : truth.busy_ns) streams[key] += ns;
  ExpectSame(streams, truth.stream_ns, "gaps and busy time of streams");

  double waiting = 0;
  const Table queue = run(QueueLengthAnalysis());
  for (std::size_t row = 0; row < queue.row_count(); ++row) {
    if (queue.IsNull(row, *queue.Find("duration_ns"))) continue;
    waiting += std::get<double>(Cell(queue, row, "mean")) *
               static_cast<double>(IntCell(queue, row, "duration_ns"));
    EXPECT_LE(IntCell(queue, row, "p50"), IntCell(queue, row, "p90"));
    EXPECT_LE(IntCell(queue, row, "p90"), IntCell(queue, row, "max"));
    EXPECT_LE(IntCell(queue, row, "empty_ns") + IntCell(queue, row, "full_ns"),
              IntCell(queue, row, "duration_ns"));
  }
  ExpectNear(waiting, truth.waiting_ns, "integral of the queue");

  EXPECT_EQ(SumOf(run(KernelClassesAnalysis()), "count"), truth.works);
  EXPECT_EQ(SumOf(run(KernelsByNameAnalysis()), "count"), truth.works);
  EXPECT_EQ(SumOf(run(KernelsByRankAnalysis()), "count"), truth.works);
  for (const Analysis* analysis : {&OpsAnalysis(), &OpsByShapeAnalysis()}) {
    const Table ops = run(*analysis);
    EXPECT_EQ(SumOf(ops, "kernels"), truth.works);
    EXPECT_EQ(SumOf(ops, "count"), truth.ops);
    const double in_ops = SumOf(ops, "host_self_ns");
    EXPECT_NEAR(in_ops, truth.op_ns, 1e-9 * truth.op_ns);
    ExpectOwnWithinTotals(ops);
  }
  const Table modules = run(ModulesAnalysis());
  EXPECT_EQ(SumOf(modules, "kernels"), truth.works_beside_modules);
  ExpectNear(SumOf(modules, "forward_total_ns") + SumOf(modules, "backward_total_ns"),
             SumOf(modules, "device_total_ns"), "modules: forward and backward");
  EXPECT_EQ(SumOf(run(CopiesAnalysis()), "count"), truth.copies);
  EXPECT_EQ(SumOf(run(MemsetsAnalysis()), "count"), truth.memsets);
  EXPECT_EQ(SumOf(run(LaunchesAnalysis()), "works"), truth.linked);
  const double carried = SumOf(run(CopyBandwidthAnalysis()), "bytes");
  EXPECT_LE(carried, truth.bytes * (1 + 1e-9));
  if (truth.bytes < 1e15) {
    EXPECT_EQ(carried, truth.bytes);
  }
}

// The levels of a table: no step begins with another level than the one before ended with, and none
// is above the peak.
void CheckLevels(const Table& peaks) {
  for (std::size_t row = 0; row < peaks.row_count(); ++row) {
    const Value peak = Cell(peaks, row, "peak_bytes");
    for (const std::string_view column : {"begin_bytes", "end_bytes"}) {
      const Value level = Cell(peaks, row, column);
      if (std::holds_alternative<Null>(level)) continue;
      ASSERT_FALSE(std::holds_alternative<Null>(peak));
      EXPECT_LE(std::get<std::int64_t>(level), std::get<std::int64_t>(peak)) << column;
    }
    bool follows = row > 0 && !std::holds_alternative<Null>(Cell(peaks, row, "step"));
    for (const std::string_view key : {"rank", "capture", "device_type", "device"})
      follows = follows && Cell(peaks, row, key) == Cell(peaks, row - 1, key);
    if (follows) {
      EXPECT_TRUE(Cell(peaks, row, "begin_bytes") == Cell(peaks, row - 1, "end_bytes"));
    }
  }
}

// The most by rank, capture and device of a level over time; -1 = never known.
std::map<Key, std::int64_t> MostOverTime(const Table& table) {
  std::map<Key, std::int64_t> most;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const Value device = Cell(table, row, "device");
    const auto* id = std::get_if<std::int64_t>(&device);
    std::int64_t& value =
        most.try_emplace({std::to_string(IntCell(table, row, "rank")),
                          std::to_string(IntCell(table, row, "capture")),
                          std::string(std::get<std::string_view>(Cell(table, row, "device_type"))),
                          id == nullptr ? "-" : std::to_string(*id)},
                         -1)
            .first->second;
    const Value level = Cell(table, row, "allocated_bytes");
    if (const auto* bytes = std::get_if<std::int64_t>(&level)) value = std::max(value, *bytes);
  }
  return most;
}

void CheckMemory(const JobForTest& job, const Truth& truth) {
  const Table peaks = job.Run(MemoryPeaksAnalysis());
  EXPECT_EQ(SumOf(peaks, "allocations"), truth.allocations);
  CheckLevels(peaks);
  const auto all = MostOverTime(job.Run(MemoryOverTimeAnalysis()));
  for (const std::string_view bins : {"1", "3", "50"}) {
    const Table binned = job.Run(MemoryOverTimeAnalysis(), {{"bins", std::string(bins)}});
    EXPECT_TRUE(MostOverTime(binned) == all) << bins << " bins";
    if (bins == "1") {
      EXPECT_EQ(binned.row_count(), all.size());
    }
  }
}

TEST(Properties, HoldForRandomTraces) {
  for (std::uint64_t seed = 1; seed <= 45; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomJob random(seed);
    std::map<std::string, Table> backwards;
    for (const Analysis* analysis : AllAnalyses()) {
      if (analysis->group != Group::kDefault) continue;
      backwards[analysis->name] = random.job.Run(*analysis);
      ExpectSound(backwards[analysis->name]);
      ExpectSound(random.job.Run(*analysis, {}, std::set<std::int64_t>{5, 7}));
    }
    CheckIdentities(random.job, TruthOf(random));
    CheckMemory(random.job, TruthOf(random));
    random.job.InOrder();
    for (const Analysis* analysis : AllAnalyses()) {
      if (analysis->group != Group::kDefault) continue;
      EXPECT_TRUE(random.job.Run(*analysis) == backwards[analysis->name])
          << analysis->name << " depends on the order of the partials";
    }
    if (HasFailure()) return;
  }
}

// Equal bytes, whatever worker took which partial and in whatever order workers are merged.
TEST(Properties, AnyTreeOfMergesGivesEqualBytes) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    JobForTest job;
    for (std::uint64_t i = 0; i < 7; ++i) {  // ranks 0 and 1 were recorded twice
      job.Add(static_cast<std::int64_t>(i % 5), RandomTrace(seed * 100 + i).Make(),
              static_cast<std::int64_t>(i / 5));
      if (i == 3) job.Unselect();
    }
    std::mt19937_64 random(seed);
    for (const Analysis* analysis : AllAnalyses()) {
      if (!analysis->reducer) continue;
      const std::string bytes = EncodeTables(std::vector<Table>{job.Run(*analysis)});
      for (int tree = 0; tree < 3; ++tree) {
        const Table table = job.RunByRandomTree(*analysis, random);
        EXPECT_TRUE(EncodeTables(std::vector<Table>{table}) == bytes)
            << analysis->name << " depends on the tree of merges";
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace rankscope
