// The tables of telemetry: metrics of hosts and devices that were recorded beside traces.
#pragma once

#include <string_view>

#include "schemas/rank_rows.h"

namespace rankscope {

struct TelemetrySamples : Schema<TelemetrySamples> {
  static constexpr std::string_view kName = "telemetry";

  IntColumn rank = Int("rank", "", "whose device or process it is; null: of a host");
  StringColumn host = Text("host", "null when the sample does not state it");
  IntColumn time_ns =
      Int("time_ns", "ns", "from the job's origin, by the host's own clock: before it is negative");
  StringColumn name = Text("name", "of the number; docs/telemetry.md lists those that are known");
  RealColumn value = Real("value", "", "in the unit of this row");
  StringColumn unit = Text("unit", "null when the sample does not state it");
};
extern template const TelemetrySamples& SchemaOf<TelemetrySamples>();

struct TelemetryByRank : Schema<TelemetryByRank, RankRows> {
  static constexpr std::string_view kName = "telemetry_by_rank";

  StringColumn name = Text("name", "of the number; docs/telemetry.md lists those that are known");
  StringColumn of = Text("of", "rank: of its device or process; host: of the host that it runs on");
  IntColumn samples = Int("samples", "", "within the window of the recording");
  RealColumn mean = Real("mean", "", "of the samples, in their unit");
  RealColumn least = Real("least", "", "of the samples");
  RealColumn greatest = Real("greatest", "", "of the samples");
  StringColumn unit = Text("unit", "null when the samples do not state it");
};
extern template const TelemetryByRank& SchemaOf<TelemetryByRank>();

struct Energy : Schema<Energy> {
  static constexpr std::string_view kName = "energy";

  IntColumn rank = Int("rank", "", "null: all ranks of which power was recorded, together");
  IntColumn ranks = Int("ranks", "", "of which power was recorded, in this row");
  RealColumn power_w = Real("power_w", "W", "mean of the samples around the recording; summed");
  RealColumn step_ns = Real("step_ns", "ns", "mean of the complete steps; over ranks their mean");
  RealColumn step_j = Real("step_j", "J", "power_w * step_ns; summed");
  RealColumn samples =
      Real("samples", "", "that a step computes, where the job tells samples_per_step; summed");
  RealColumn sample_j = Real("sample_j", "J", "step_j / samples");
};
extern template const Energy& SchemaOf<Energy>();

}  // namespace rankscope
