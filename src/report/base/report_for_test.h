// Reports built by hand for tests: the tables that most reports read, of the schemas that the
// analyses give them. The numbers are made up but plausible: one rank is slow.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/base/report.h"
#include "schemas/captures.h"
#include "schemas/copies.h"
#include "schemas/findings.h"
#include "schemas/host.h"
#include "schemas/kernels.h"
#include "schemas/ranks.h"
#include "schemas/steps.h"
#include "schemas/words.h"

namespace rankscope::report_for_test {

struct Shape {
  std::int64_t ranks = 8;
  std::int64_t steps = 8;
  std::int64_t slow_rank = 3;
  std::vector<std::string> kernels = {"ampere_bf16_s16816gemm_tn",
                                      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclArgs)",
                                      "void at::native::softmax<float>(float*)"};
};

// 0..1, the same for the same arguments.
inline double Noise(std::int64_t a, std::int64_t b) {
  const double x = std::sin(static_cast<double>(a * 127 + b * 311 + 7)) * 43758.5453;
  return x - std::floor(x);
}

inline Table MakeStepSpread(const Shape& shape) {
  const auto& columns = SchemaOf<StepSpread>();
  auto table = columns.NewTable("step_spread");
  const auto add = [&](Value step, std::int64_t rank_steps, std::int64_t median) {
    table.Add({columns.step = step, columns.ranks = shape.ranks, columns.steps = rank_steps,
               columns.min_ns = median - 800'000, columns.p25_ns = median - 200'000,
               columns.median_ns = median, columns.mean_ns = static_cast<double>(median) + 0.5,
               columns.p75_ns = median + 200'000, columns.max_ns = median + 900'000,
               columns.fastest_rank = 1, columns.slowest_rank = shape.slow_rank,
               columns.inferred = false});
  };
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    add(10 + step, shape.ranks,
        23'800'000 + static_cast<std::int64_t>(400'000 * Noise(step, 1)) +
            (step == shape.steps / 2 ? 3'000'000 : 0));
  }
  add(kNull, shape.ranks * shape.steps, 23'812'345);
  return table;
}

inline constexpr double kShares[10] = {75.7, 22.2, 0.2, 0.4, 1.1, 0.01, 0.1, 0.25, 0.04, 0};

// Percent of device time.
inline double Share(const Shape& shape, std::int64_t rank, std::size_t part) {
  const double slow = rank == shape.slow_rank ? 18 : 0;
  const double noise = Noise(rank, static_cast<std::int64_t>(part));
  if (part == 0) return kShares[0] + slow - noise;
  if (part == 1) return kShares[1] - slow + Noise(rank, 0);
  return kShares[part] * (0.8 + 0.4 * noise);
}

inline Table MakeJobBreakdown(const Shape& shape) {
  const auto& columns = SchemaOf<JobBreakdown>();
  auto table = columns.NewTable("job_breakdown");
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    table.Add({columns.part = kParts[part].id,
               columns.duration_ns =
                   static_cast<std::int64_t>(kShares[part] * 1e6) * shape.ranks * shape.steps,
               columns.share_pct = kShares[part], columns.min_pct = kShares[part] * 0.5,
               columns.median_pct = kShares[part], columns.max_pct = kShares[part] * 1.2,
               columns.min_rank = shape.slow_rank, columns.max_rank = 1});
  }
  return table;
}

inline Table MakeRankBreakdown(const Shape& shape) {
  const auto& columns = SchemaOf<RankBreakdown>();
  auto table = columns.NewTable("rank_breakdown");
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      const double share = Share(shape, rank, part);
      table.Add({columns.rank = rank, columns.device = rank % 8, columns.part = kParts[part].id,
                 columns.duration_ns = static_cast<std::int64_t>(share * 238e4),
                 columns.share_pct = share, columns.windows = shape.steps});
    }
  }
  return table;
}

inline Table MakeRankMetrics(const Shape& shape) {
  struct Metric {
    MetricId id;
    std::string_view unit;
    double typical;
  };
  constexpr Metric kMetrics[] = {{"step_time", "ns", 23.8e6},
                                 {"compute", "%", 73},
                                 {"exposed_communication", "%", 24.9},
                                 {"exposed_copy", "%", 0.2},
                                 {"idle", "%", 1.8},
                                 {"idle_host", "%", 0.2},
                                 {"idle_data", "%", 1.3},
                                 {"idle_sync", "%", 0.0},
                                 {"communication_hidden", "%", 42},
                                 {"communication", "ns/step", 10.1e6},
                                 {"communication_hidden_time", "ns/step", 4.2e6},
                                 {"communication_exposed_time", "ns/step", 5.9e6},
                                 {"device_busy", "%", 98},
                                 {"sm_efficiency", "%", 91},
                                 {"occupancy", "%", 38},
                                 {"kernels", "1/step", 420},
                                 {"launch_time", "ns", 5400},
                                 {"launch_delay", "ns", 2.1e6},
                                 {"queue_length", "", 130},
                                 {"copy_bytes", "bytes/step", 64e6},
                                 {"copy_time", "ns/step", 1e6},
                                 {"host_busy", "%", 61}};
  const auto& columns = SchemaOf<RankMetrics>();
  auto table = columns.NewTable("rank_metrics");
  for (std::int64_t metric = 0; metric < std::ssize(kMetrics); ++metric) {
    const Metric& what = kMetrics[metric];
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
      const bool is_slow = rank == shape.slow_rank && metric > 0 && metric < 3;
      const double deviation =
          is_slow ? (metric == 1 ? 20.5 : -18.25) : 4 * Noise(rank, metric) - 2;
      const bool is_unknown = metric == 14 && rank == 1;
      table.Add(
          {columns.rank = rank, columns.metric = what.id.text(), columns.unit = what.unit,
           columns.value = is_unknown ? Value(kNull) : Value(what.typical * (1 + deviation / 100)),
           columns.median = what.typical,
           columns.deviation = is_unknown ? Value(kNull) : Value(deviation),
           columns.outlier = is_slow});
    }
  }
  return table;
}

inline Table MakeOverRanks(const Shape& shape) {
  const auto& columns = SchemaOf<OverRanks>();
  auto table = columns.NewTable("over_ranks");
  const auto add = [&](std::string_view analysis, std::string_view key, MetricId metric,
                       std::string_view unit, double median, bool has_total) {
    table.Add({columns.analysis = analysis, columns.key = key, columns.metric = metric.text(),
               columns.unit = unit, columns.ranks = shape.ranks,
               columns.total =
                   has_total ? Value(median * static_cast<double>(shape.ranks)) : Value(kNull),
               columns.mean = median, columns.min = median * 0.8, columns.p25 = median * 0.95,
               columns.median = median, columns.p75 = median * 1.05, columns.p95 = median * 1.1,
               columns.max = median * 1.3, columns.min_rank = 0,
               columns.max_rank = shape.slow_rank});
  };
  add("kernel_classes", "gemm", "busy", "ns/step", 14e6, true);
  add("kernel_classes", "gemm", "alone", "ns/step", 13e6, false);
  add("kernel_classes", "nccl", "busy", "ns/step", 6e6, true);
  add("overlap", "", "communication_hidden", "%", 42, false);
  add("class_overlap", "gemm + nccl", "time", "ns/step", 3e6, true);
  add("stream_gaps", "host", "busy", "ns/step", 2e5, true);
  add("launches", "cudaLaunchKernel", "mean", "ns", 5400, false);
  add("queue_length", "", "mean", "", 130.25, false);
  add("copies", "HtoD", "bytes", "bytes/step", 64e6, true);
  add("copies", "HtoD", "bandwidth", "bytes/s", 24.5e9, false);
  add("memsets", "", "bytes", "bytes/step", 1e6, true);
  add("phases", "forward", "duration", "ns/step", 7e6, false);
  add("phases", "backward", "duration", "ns/step", 12e6, false);
  add("utilisation", "", "busy", "%", 98, false);
  add("annotations", "host/train", "duration", "ns/step", 22e6, true);
  return table;
}

inline Table MakeKernelsByName(const Shape& shape) {
  const auto& columns = SchemaOf<KernelsByName>();
  auto table = columns.NewTable("kernels_by_name");
  double share = 40;
  for (const std::string& name : shape.kernels) {
    const double mean = 2500 * share;
    const std::int64_t count = 100 * shape.ranks;
    const auto whole = [&](double part) { return static_cast<std::int64_t>(mean * part); };
    table.Add({columns.name = name, columns.class_ = "gemm", columns.work = "compute",
               columns.ranks = shape.ranks, columns.count = count,
               columns.total_ns = whole(1) * count, columns.share_pct = share,
               columns.mean_ns = mean, columns.stddev_ns = mean / 10, columns.min_ns = whole(0.5),
               columns.p50_ns = whole(1), columns.p90_ns = whole(1.1), columns.p99_ns = whole(1.4),
               columns.max_ns = whole(2), columns.outliers = 3,
               columns.slowest_rank = shape.slow_rank, columns.slowest_mean_ns = mean * 1.2});
    share *= 0.6;
  }
  return table;
}

inline Table MakeKernelSteps(const Shape& shape) {
  const auto& columns = SchemaOf<KernelSteps>();
  auto table = columns.NewTable("kernel_steps");
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    double size = 4e6;
    for (std::size_t i = 0; i < shape.kernels.size() && i < 20; ++i, size *= 0.6) {
      const bool is_jump = i == 1 && step == shape.steps / 2;
      const double change = is_jump ? 60 : 8 * Noise(step, static_cast<std::int64_t>(i)) - 4;
      const double mean = size * (1 + change / 100);
      table.Add({columns.step = 10 + step, columns.name = shape.kernels[i], columns.class_ = "gemm",
                 columns.ranks = shape.ranks, columns.count = 12 * shape.ranks,
                 columns.total_ns = static_cast<std::int64_t>(mean) * shape.ranks,
                 columns.mean_per_rank_ns = mean, columns.change_pct = change});
    }
  }
  return table;
}

inline Table MakeCopyBandwidth(const Shape& shape) {
  const auto& columns = SchemaOf<CopyBandwidth>();
  auto table = columns.NewTable("copy_bandwidth");
  for (std::int64_t rank = -1; rank < shape.ranks; ++rank) {
    for (const std::string_view direction : {"HtoD", "DtoH"}) {
      for (std::int64_t bin = 0; bin < 40; ++bin) {
        if (bin % 7 == 3) continue;
        const double bandwidth = 2e9 * (1 + Noise(bin, rank));
        table.Add({columns.rank = rank < 0 ? Value(kNull) : Value(rank),
                   columns.direction = direction, columns.start_ns = bin * 5'000'000,
                   columns.duration_ns = 5'000'000,
                   columns.bytes = static_cast<std::int64_t>(bandwidth * 5e-3),
                   columns.busy_ns = 400'000, columns.bandwidth_bytes_per_s = bandwidth});
      }
    }
  }
  return table;
}

inline Table MakeHostBreakdown(const Shape& shape) {
  const auto& columns = SchemaOf<HostBreakdown>();
  auto table = columns.NewTable("host_breakdown");
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    for (std::int64_t thread = 0; thread < 2; ++thread) {
      const std::int64_t op = thread == 0 ? 600 : 100;
      table.Add({columns.rank = rank, columns.capture = 0, columns.process = 40 + rank,
                 columns.thread = thread, columns.duration_ns = 1000, columns.data_ns = 50,
                 columns.blocked_ns = 0, columns.runtime_ns = 0, columns.op_ns = op,
                 columns.annotated_ns = 0, columns.python_ns = 0, columns.other_ns = 950 - op,
                 columns.busy_ns = 50 + op, columns.complete = true});
    }
  }
  return table;
}

inline Table MakeCaptures(const Shape& shape) {
  const auto& columns = SchemaOf<Captures>();
  auto table = columns.NewTable("captures");
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    table.Add({columns.rank = rank, columns.capture = 0, columns.group = 0,
               columns.analysed = rank != 2 || shape.ranks < 3, columns.device = "NVIDIA H100",
               columns.start_ns = 0, columns.duration_ns = 190'000'000, columns.events = 12'000,
               columns.rows = 11'000, columns.file = "job/rank.json"});
  }
  return table;
}

inline Table MakeDataQuality() {
  const auto& columns = SchemaOf<DataQuality>();
  auto table = columns.NewTable("data_quality");
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    table.Add({columns.rank = rank, columns.file = "job/rank.json", columns.code = "truncated",
               columns.byte = 4711, columns.count = 1,
               columns.message = "the file ends in the middle of an event"});
  }
  return table;
}

// Findings of each severity: one of a rank, one of all ranks, one that will end the job, small
// ones.
inline Table MakeFindings(std::int64_t low = 1) {
  const auto& columns = SchemaOf<Findings>();
  auto table = columns.NewTable("findings");
  table.Add(
      {columns.id = "slow-gpu", columns.severity = "high", columns.confidence = 0.9,
       columns.gain_pct = 18.25, columns.gain_ns = 4'345'000, columns.gain_method = "replay",
       columns.time_lost_ns = 5'100'000, columns.ranks = "3", columns.who = "rank 3",
       columns.steps = "10-17",
       columns.title = "Rank 3's device takes 1.3 times as long for the same kernels as its "
                       "peers do; 7 ranks wait for it.",
       columns.why = "Kernels of equal name and shapes were compared with ranks 0-2 and 4-7.",
       columns.recommendation = "Look at clocks, power and temperature of that device:\n"
                                "nvidia-smi -i 3 -q -d CLOCK,PERFORMANCE\nThen drain the host.",
       columns.command = "rankscope table kernels_by_rank TRACES --set metric=mean",
       columns.places = R"([{"op":"aten::mm","module":"Block_0.mlp","ns":2100000}])",
       columns.evidence = R"([{"table":"kernels_by_rank","rows":[{"rank":2,"mean_ns":100000},)"
                          R"({"rank":3,"mean_ns":130000},{"rank":4,"mean_ns":101000}]},)"
                          R"({"rank":3,"capture":0,"event":1234}])"});
  table.Add({columns.id = "memory-leak", columns.severity = "high", columns.confidence = 0.8,
             columns.time_to_failure_ns = 4'680'000'000'000, columns.ranks = "0-7",
             columns.who = "all ranks", columns.title = "Memory grows by 50.0 MB per step.",
             columns.why = "A line through the ends of 8 steps (p = 0.001).",
             columns.recommendation = "Detach what is kept.",
             columns.command = "rankscope table memory_growth TRACES"});
  table.Add({columns.id = "host-sync", columns.severity = "medium", columns.confidence = 0.7,
             columns.gain_pct = 4.5, columns.gain_ns = 1'070'000, columns.gain_method = "bound",
             columns.ranks = "0-7", columns.who = "all ranks", columns.steps = "10,12-14",
             columns.title = "aten::item makes the host wait 12 times per step.",
             columns.recommendation = "Call `loss.item()` every 100th step.",
             columns.command = "rankscope table ops_by_name TRACES",
             columns.places = R"([{"op":"aten::item","file":"train.py","line":214,"ns":1100000}])",
             columns.evidence = "[]"});
  for (std::int64_t i = 0; i < low; ++i) {
    table.Add({columns.id = "redundant-copies", columns.severity = "low", columns.gain_pct = 1.5,
               columns.gain_ns = 357'000, columns.gain_method = "estimate",
               columns.who = "all ranks", columns.title = "Casts take 0.36 ms.",
               columns.recommendation = "Cast once.", columns.command = "rankscope"});
  }
  return table;
}

inline Table MakeNotEvaluated() {
  const auto& columns = SchemaOf<NotEvaluated>();
  auto table = columns.NewTable("not_evaluated");
  table.Add({columns.id = "cpu-contention", columns.reason = "needs telemetry of hosts"});
  table.Add({columns.id = "power-throttle", columns.reason = "needs telemetry of devices"});
  table.Add({columns.id = "underused-gpu", columns.reason = "needs telemetry of devices"});
  return table;
}

inline Table MakeGains(double communication = 12, bool with_findings = true) {
  const auto& columns = SchemaOf<Gains>();
  auto table = columns.NewTable("gains");
  table.Add({columns.of = "resource", columns.name = "communication",
             columns.gain_pct = communication, columns.gain_ns = 2'860'000});
  table.Add({columns.of = "resource", columns.name = "gpu-compute", columns.gain_pct = 61.25,
             columns.gain_ns = 14'600'000});
  table.Add({columns.of = "resource", columns.name = "data"});
  if (!with_findings) return table;
  table.Add({columns.of = "finding", columns.name = "slow-gpu", columns.gain_pct = 18.25,
             columns.gain_ns = 4'345'000});
  table.Add({columns.of = "findings", columns.gain_pct = 22.5, columns.gain_ns = 5'360'000});
  return table;
}

inline Table MakeFidelity(Value refused = kNull, std::int64_t left_out = 0) {
  const auto& columns = SchemaOf<ReplayFidelity>();
  auto table = columns.NewTable("replay_fidelity");
  table.Add({columns.steps = 8, columns.steps_left_out = left_out, columns.step_ns = 23'812'345,
             columns.error_pct = 0.4, columns.prediction_error_pct = 1.9, columns.spread_pct = 2.1,
             columns.unexplained_pct = 2.25, columns.refused_reason = refused});
  return table;
}

inline Report MakeReport(const Shape& shape = {}) {
  Report report;
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) report.ranks.push_back(rank);
  report.world_size = shape.ranks;
  report.devices = {"NVIDIA H100"};
  report.not_evaluated = {{"slow-gpu", "this version has no rule for it"}};
  report.tables = {MakeCaptures(shape),      MakeStepSpread(shape),  MakeJobBreakdown(shape),
                   MakeRankBreakdown(shape), MakeRankMetrics(shape), MakeOverRanks(shape),
                   MakeKernelsByName(shape), MakeKernelSteps(shape), MakeCopyBandwidth(shape),
                   MakeHostBreakdown(shape), MakeDataQuality()};
  return report;
}

// The same job where rules ran.
inline Report WithFindings(const Table& findings, const Shape& shape = {},
                           const Table& gains = MakeGains(),
                           const Table& fidelity = MakeFidelity()) {
  Report report = MakeReport(shape);
  for (const Table& table : {findings, MakeNotEvaluated(), gains, fidelity})
    report.tables.push_back(table);
  return report;
}
inline Report WithoutFinding(const Table& gains = MakeGains(12, false)) {
  return WithFindings(SchemaOf<Findings>().NewTable("findings"), {}, gains);
}

// The table of that name, to be changed.
inline Table& Get(Report& report, std::string_view name) {
  for (Table& table : report.tables) {
    if (table.name() == name) return table;
  }
  report.tables.emplace_back(std::string(name), std::vector<ColumnSpec>{});
  return report.tables.back();
}

}  // namespace rankscope::report_for_test
