// Reports built by hand for tests: every table that the reports read, with the columns that the
// analyses give them (docs/tables.md). The numbers are made up but plausible: one rank is slow.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"
#include "report/wording.h"

namespace rankscope::report_for_test {

struct Shape {
  std::int64_t ranks = 8;
  std::int64_t steps = 8;
  std::int64_t slow_rank = 3;
  std::vector<std::string> kernels = {"ampere_bf16_s16816gemm_tn",
                                      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclArgs)",
                                      "void at::native::softmax<float>(float*)"};
};

// "name:unit" with the type by a letter in front: i, d, s or b.
inline Table MakeTable(std::string name, const std::vector<std::string>& columns) {
  std::vector<ColumnSpec> specs;
  specs.reserve(columns.size());
  for (const std::string& column : columns) {
    const std::size_t colon = column.find(':');
    const ColumnType type = column[0] == 'i'   ? ColumnType::kInt64
                            : column[0] == 'd' ? ColumnType::kDouble
                            : column[0] == 'b' ? ColumnType::kBool
                                               : ColumnType::kString;
    specs.push_back({column.substr(2, colon == std::string::npos ? colon : colon - 2), type,
                     colon == std::string::npos ? "" : column.substr(colon + 1), "for a test"});
  }
  return {std::move(name), std::move(specs)};
}

// 0..1, the same for the same arguments.
inline double Noise(std::int64_t a, std::int64_t b) {
  const double x = std::sin(static_cast<double>(a * 127 + b * 311 + 7)) * 43758.5453;
  return x - std::floor(x);
}

inline Table StepSpread(const Shape& shape) {
  Table table =
      MakeTable("step_spread", {"i step", "i ranks", "i steps", "i min_ns:ns", "i p25_ns:ns",
                                "i median_ns:ns", "i p75_ns:ns", "i max_ns:ns", "d mean_ns:ns",
                                "i fastest_rank", "i slowest_rank", "b inferred"});
  const auto add = [&](Value step, std::int64_t rank_steps, std::int64_t median) {
    table.AddRow({step, shape.ranks, rank_steps, median - 800'000, median - 200'000, median,
                  median + 200'000, median + 900'000, static_cast<double>(median) + 0.5,
                  std::int64_t{1}, shape.slow_rank, false});
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

inline Table JobBreakdown(const Shape& shape) {
  Table table =
      MakeTable("job_breakdown", {"s part", "i duration_ns:ns", "d share_pct:%", "d min_pct:%",
                                  "d median_pct:%", "d max_pct:%", "i min_rank", "i max_rank"});
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    table.AddRow({kParts[part].id,
                  static_cast<std::int64_t>(kShares[part] * 1e6) * shape.ranks * shape.steps,
                  kShares[part], kShares[part] * 0.5, kShares[part], kShares[part] * 1.2,
                  shape.slow_rank, std::int64_t{1}});
  }
  return table;
}

inline Table RankBreakdown(const Shape& shape) {
  Table table = MakeTable("rank_breakdown", {"i rank", "i device", "s part", "i duration_ns:ns",
                                             "d share_pct:%", "i windows"});
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      const double share = Share(shape, rank, part);
      table.AddRow({rank, rank % 8, kParts[part].id, static_cast<std::int64_t>(share * 238e4),
                    share, shape.steps});
    }
  }
  return table;
}

inline Table RankMetrics(const Shape& shape) {
  struct Metric {
    const char* name;
    const char* unit;
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
  Table table = MakeTable("rank_metrics", {"i rank", "s metric", "s unit", "d value", "d median",
                                           "d deviation", "b outlier"});
  for (std::int64_t metric = 0; metric < std::ssize(kMetrics); ++metric) {
    const Metric& what = kMetrics[metric];
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
      const bool is_slow = rank == shape.slow_rank && metric > 0 && metric < 3;
      const double deviation =
          is_slow ? (metric == 1 ? 20.5 : -18.25) : 4 * Noise(rank, metric) - 2;
      const bool is_unknown = metric == 14 && rank == 1;
      table.AddRow({rank, std::string_view(what.name), std::string_view(what.unit),
                    is_unknown ? Value(kNull) : Value(what.typical * (1 + deviation / 100)),
                    what.typical, is_unknown ? Value(kNull) : Value(deviation), is_slow});
    }
  }
  return table;
}

inline Table OverRanks(const Shape& shape) {
  Table table = MakeTable("over_ranks", {"s analysis", "s key", "s metric", "s unit", "i ranks",
                                         "d total", "d mean", "d min", "d p25", "d median", "d p75",
                                         "d p95", "d max", "i min_rank", "i max_rank"});
  const auto add = [&](std::string_view analysis, std::string_view key, std::string_view metric,
                       std::string_view unit, double median, bool has_total) {
    table.AddRow({analysis, key, metric, unit, shape.ranks,
                  has_total ? Value(median * static_cast<double>(shape.ranks)) : Value(kNull),
                  median, median * 0.8, median * 0.95, median, median * 1.05, median * 1.1,
                  median * 1.3, std::int64_t{0}, shape.slow_rank});
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

inline Table KernelsByName(const Shape& shape) {
  Table table = MakeTable(
      "kernels_by_name",
      {"s name", "s class", "s work", "i ranks", "i count", "i total_ns:ns", "d share_pct:%",
       "d mean_ns:ns", "d stddev_ns:ns", "i min_ns:ns", "d p50_ns:ns", "d p90_ns:ns", "d p99_ns:ns",
       "i max_ns:ns", "i outliers", "i slowest_rank", "d slowest_mean_ns:ns", "i bytes:bytes"});
  double share = 40;
  for (const std::string& name : shape.kernels) {
    const double mean = 2500 * share;
    const std::int64_t count = 100 * shape.ranks;
    table.AddRow({std::string_view(name), std::string_view("gemm"), std::string_view("compute"),
                  shape.ranks, count, static_cast<std::int64_t>(mean) * count, share, mean,
                  mean / 10, static_cast<std::int64_t>(mean / 2), mean, mean * 1.1, mean * 1.4,
                  static_cast<std::int64_t>(mean * 2), std::int64_t{3}, shape.slow_rank, mean * 1.2,
                  kNull});
    share *= 0.6;
  }
  return table;
}

inline Table KernelSteps(const Shape& shape) {
  Table table =
      MakeTable("kernel_steps", {"i step", "s name", "s class", "i ranks", "i count",
                                 "i total_ns:ns", "d mean_per_rank_ns:ns", "d change_pct:%"});
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    double size = 4e6;
    for (std::size_t i = 0; i < shape.kernels.size() && i < 20; ++i, size *= 0.6) {
      const bool is_jump = i == 1 && step == shape.steps / 2;
      const double change = is_jump ? 60 : 8 * Noise(step, static_cast<std::int64_t>(i)) - 4;
      const double mean = size * (1 + change / 100);
      table.AddRow({10 + step, std::string_view(shape.kernels[i]), std::string_view("gemm"),
                    shape.ranks, 12 * shape.ranks, static_cast<std::int64_t>(mean) * shape.ranks,
                    mean, change});
    }
  }
  return table;
}

inline Table CopyBandwidth(const Shape& shape) {
  Table table = MakeTable("copy_bandwidth",
                          {"i rank", "s direction", "i start_ns:ns", "i duration_ns:ns",
                           "i bytes:bytes", "i busy_ns:ns", "d bandwidth_bytes_per_s:bytes/s"});
  for (std::int64_t rank = -1; rank < shape.ranks; ++rank) {
    for (const std::string_view direction : {"HtoD", "DtoH"}) {
      for (std::int64_t bin = 0; bin < 40; ++bin) {
        if (bin % 7 == 3) continue;
        const double bandwidth = 2e9 * (1 + Noise(bin, rank));
        table.AddRow({rank < 0 ? Value(kNull) : Value(rank), direction, bin * 5'000'000,
                      std::int64_t{5'000'000}, static_cast<std::int64_t>(bandwidth * 5e-3),
                      std::int64_t{400'000}, bandwidth});
      }
    }
  }
  return table;
}

inline Table HostBreakdown(const Shape& shape) {
  Table table = MakeTable("host_breakdown",
                          {"i rank", "i capture", "i process", "i thread", "i step",
                           "i duration_ns:ns", "i data_ns:ns", "i blocked_ns:ns", "i runtime_ns:ns",
                           "i op_ns:ns", "i annotated_ns:ns", "i python_ns:ns", "i other_ns:ns"});
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    for (std::int64_t thread = 0; thread < 2; ++thread) {
      const std::int64_t op = thread == 0 ? 600 : 100;
      table.AddRow({rank, std::int64_t{0}, 40 + rank, thread, kNull, std::int64_t{1000},
                    std::int64_t{50}, std::int64_t{0}, std::int64_t{0}, op, std::int64_t{0},
                    std::int64_t{0}, 950 - op});
    }
  }
  return table;
}

inline Table Captures(const Shape& shape) {
  Table table =
      MakeTable("captures", {"i rank", "i capture", "i group", "b analysed", "s host", "s device",
                             "i start_ns:ns", "i duration_ns:ns", "i events", "i rows", "s file"});
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    table.AddRow({rank, std::int64_t{0}, std::int64_t{0}, rank != 2 || shape.ranks < 3, kNull,
                  std::string_view("NVIDIA H100"), std::int64_t{0}, std::int64_t{190'000'000},
                  std::int64_t{12'000}, std::int64_t{11'000}, std::string_view("job/rank.json")});
  }
  return table;
}

inline Table DataQuality() {
  Table table =
      MakeTable("data_quality", {"i rank", "s file", "s code", "i byte", "i count", "s message"});
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    table.AddRow({rank, std::string_view("job/rank.json"), std::string_view("truncated"),
                  std::int64_t{4711}, std::int64_t{1},
                  std::string_view("the file ends in the middle of an event")});
  }
  return table;
}

inline Report MakeReport(const Shape& shape = {}) {
  Report report;
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) report.ranks.push_back(rank);
  report.world_size = shape.ranks;
  report.devices = {"NVIDIA H100"};
  report.not_evaluated = {{"slow-gpu", "this version has no rule for it"}};
  report.tables = {Captures(shape),      StepSpread(shape),  JobBreakdown(shape),
                   RankBreakdown(shape), RankMetrics(shape), OverRanks(shape),
                   KernelsByName(shape), KernelSteps(shape), CopyBandwidth(shape),
                   HostBreakdown(shape), DataQuality()};
  return report;
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
