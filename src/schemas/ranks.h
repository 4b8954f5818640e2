// The tables that compare ranks by their metrics.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct RankMetrics : Schema<RankMetrics> {
  static constexpr std::string_view kName = "rank_metrics";

  IntColumn rank = Int(column::Rank());
  StringColumn metric = Text("metric", "what is measured");
  StringColumn unit = Text("unit", "unit of value and median");
  RealColumn value = Real("value", "", "the rank's value; null when it is unknown");
  RealColumn median =
      Real("median", "", "median over its peers: ranks of one role and stage; null as value");
  RealColumn deviation = Real(
      "deviation", "",
      "robust standard deviations from the median; null when peers do not differ, or are too few");
  FlagColumn outlier = Flag("outlier", "true when the rank stands apart from the others");
};
extern template const RankMetrics& SchemaOf<RankMetrics>();

struct OverRanks : Schema<OverRanks> {
  static constexpr std::string_view kName = "over_ranks";

  StringColumn analysis = Text("analysis", "the per-rank analysis that the metric is from");
  StringColumn key =
      Text("key", "kernel class, cause, call, direction, phase, ...; empty without one");
  StringColumn metric = Text("metric", "what is measured");
  StringColumn unit = Text("unit", "unit of the numbers; per step where it says so");
  IntColumn ranks = Int("ranks", "", "ranks on which it is known");
  RealColumn total =
      Real("total", "", "sum over all counted windows of all ranks; null for ratios");
  RealColumn mean = Real("mean", "", "mean over ranks");
  RealColumn min = Real("min", "", "smallest");
  RealColumn p25 = Real("p25", "", "25th percentile over ranks");
  RealColumn median = Real("median", "", "median over ranks");
  RealColumn p75 = Real("p75", "", "75th percentile over ranks");
  RealColumn p95 = Real("p95", "", "95th percentile over ranks");
  RealColumn max = Real("max", "", "largest");
  IntColumn min_rank = Int("min_rank", "", "the rank with the smallest, the lowest of several");
  IntColumn max_rank = Int("max_rank", "", "the rank with the largest, the lowest of several");
};
extern template const OverRanks& SchemaOf<OverRanks>();

}  // namespace rankscope
