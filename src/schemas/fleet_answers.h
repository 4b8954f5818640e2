// The tables of `rankscope fleet`'s answers to questions over all runs of a store (src/fleet).
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

struct FleetShares : Schema<FleetShares> {
  static constexpr std::string_view kName = "fleet_shares";

  StringColumn value = Text("value", "of what --by names; null: runs that do not say");
  IntColumn runs = Int("runs", "", "recorded runs");
  IntColumn jobs = Int("jobs", "", "of so many jobs");
  RealColumn device_hours = Real("device_hours", "h", "of the runs that state them; null: of none");
  RealColumn share_pct = Real("share_pct", "%", "of all stated device_hours");
  IntColumn runs_without_hours = Int("runs_without_hours", "", "that state no device_hours");
  RealColumn busy_pct = Real("busy_pct", "%", "of the recorded time, in which devices work");
  RealColumn recorded_hours = Real("recorded_hours", "h", "device hours that were recorded");
};
extern template const FleetShares& SchemaOf<FleetShares>();

struct FleetClasses : Schema<FleetClasses> {
  static constexpr std::string_view kName = "fleet_classes";

  StringColumn kernel_class = Text("class", "what kernels are for (kernel_classes)");
  StringColumn work = Text("work", "compute, communication or copy");
  StringColumn bound = Text("bound", "compute, memory or mixed (kernel_run); null: not known");
  IntColumn launches = Int("launches", "", "recorded");
  IntColumn total_ns = Int("total_ns", "ns", "recorded, sum of durations");
  RealColumn share_pct = Real("share_pct", "%", "of all recorded kernel time");
  RealColumn gpu_hours =
      Real("gpu_hours", "h", "sum of total_ns x weight; null: no weight is known");
  RealColumn gpu_share_pct = Real("gpu_share_pct", "%", "of all gpu_hours");
  RealColumn unweighted_pct = Real("unweighted_pct", "%", "of total_ns, that has no weight");
};
extern template const FleetClasses& SchemaOf<FleetClasses>();

struct FleetKernels : Schema<FleetKernels> {
  static constexpr std::string_view kName = "fleet_kernels";

  StringColumn kernel_key = Text("kernel_key", "family of the kernel (kernel_run)");
  StringColumn kernel_class = Text("class", "what it is for (kernel_classes)");
  StringColumn work = Text("work", "compute, communication or copy");
  StringColumn bound = Text("bound", "as of its class in all runs, else mixed; null: not known");
  StringColumn dtype = Text("dtype", "by its name; null: not known");
  StringColumn device_model = Text("device_model", "on which it ran; null: not known");
  IntColumn models = Int("models", "", "so many models have it");
  IntColumn runs = Int("runs", "", "so many runs have it");
  IntColumn launches = Int("launches", "", "recorded");
  IntColumn fleet_launches =
      Int("fleet_launches", "", "launches x weight; null: no weight is known");
  IntColumn total_ns = Int("total_ns", "ns", "recorded, sum of durations");
  RealColumn share_pct = Real("share_pct", "%", "of all recorded kernel time");
  RealColumn gpu_hours =
      Real("gpu_hours", "h", "sum of total_ns x weight; null: no weight is known");
  RealColumn gpu_share_pct = Real("gpu_share_pct", "%", "of all gpu_hours");
  RealColumn unweighted_pct = Real("unweighted_pct", "%", "of total_ns, that has no weight");
  IntColumn p50_ns = Int(
      "p50_ns", "ns", "median of all recorded durations, within 1.8%; null: a run has no sketch");
  IntColumn p90_ns = Int("p90_ns", "ns", "90th percentile, likewise");
  IntColumn p99_ns = Int("p99_ns", "ns", "99th percentile, likewise");
  StringColumn example_run = Text("example_run", "that has the most of its time on a day");
};
extern template const FleetKernels& SchemaOf<FleetKernels>();

struct FleetFrequent : Schema<FleetFrequent, FleetKernels> {
  static constexpr std::string_view kName = "fleet_frequent";
};
extern template const FleetFrequent& SchemaOf<FleetFrequent>();

struct FleetFindings : Schema<FleetFindings> {
  static constexpr std::string_view kName = "fleet_findings";

  StringColumn finding = Text("finding", "its id; rankscope explain ID");
  StringColumn value =
      Text("value", "of what --by names; null without it, and where runs do not say");
  IntColumn runs = Int("runs", "", "that have it");
  RealColumn runs_pct = Real("runs_pct", "%", "of all runs");
  IntColumn high = Int("high", "", "runs in which its severity is high");
  RealColumn lost_hours =
      Real("lost_hours", "h",
           "sum over runs of device_hours x gain_pct / 100; null: none is known. Findings overlap: "
           "do not add them");
  IntColumn runs_without_hours = Int("runs_without_hours", "", "whose lost hours are not known");
  RealColumn gain_pct = Real("gain_pct", "%", "median over its runs of what its remedy saves");
  StringColumn example_run = Text("example_run", "where it costs most");
};
extern template const FleetFindings& SchemaOf<FleetFindings>();

struct FleetUnknown : Schema<FleetUnknown> {
  static constexpr std::string_view kName = "fleet_unknown";

  StringColumn what = Text("what", "that is not known");
  StringColumn of = Text("of", "runs, or kernel time");
  RealColumn unknown_pct = Real("unknown_pct", "%", "of which it is not known");
  StringColumn effect = Text("effect", "what answers lack because of that");
  StringColumn remedy = Text("remedy", "how it becomes known");
};
extern template const FleetUnknown& SchemaOf<FleetUnknown>();

struct FleetRegressions : Schema<FleetRegressions> {
  static constexpr std::string_view kName = "fleet_regressions";

  StringColumn kind = Text("kind", "regression, improvement, new kernel or cost shift");
  StringColumn kernel_key = Text("kernel_key", "family of the kernel (kernel_run)");
  StringColumn kernel_class = Text("class", "what it is for (kernel_classes)");
  StringColumn device_model = Text("device_model", "stratum: device");
  StringColumn shape_bucket =
      Text("shape_bucket", "stratum: FLOPs and bytes of the op; null: not known");
  StringColumn dtype = Text("dtype", "stratum: data type");
  StringColumn model = Text("model", "stratum: model");
  StringColumn since = Text("since", "day of the first run of the new level");
  StringColumn until = Text("until", "day on which the level came back; null: it lasts");
  IntColumn before_ns = Int("before_ns", "ns", "median over runs of the median duration before");
  IntColumn after_ns = Int("after_ns", "ns", "the same since then");
  RealColumn change_pct =
      Real("change_pct", "%", "after_ns above (+) or below (-) before_ns; null of a new kernel");
  RealColumn step_pct =
      Real("step_pct", "%",
           "change of the kernel's time per step and rank, of the computing time per step and rank "
           "before; null: steps are not known");
  RealColumn hours_per_day =
      Real("hours_per_day", "h",
           "GPU hours a day that the change costs (+) or saves (-), of runs with a weight; null: "
           "none has one");
  RealColumn p = Real("p", "", "of Student's t-test, times the places at which it was looked for");
  RealColumn q = Real("q", "", "false discovery rate over all strata (Benjamini and Hochberg)");
  IntColumn runs_before = Int("runs_before", "", "of the level before");
  IntColumn runs_after = Int("runs_after", "", "of the new level");
  StringColumn cause = Text("cause", "attribute and value that go with it; null: none does");
  RealColumn cause_pct = Real("cause_pct", "%", "of the variance that this explains");
  StringColumn cause_or = Text("cause_or", "attributes that explain as much; null: none");
  StringColumn before_runs = Text("before_runs", "ids of the last runs before");
  StringColumn after_runs = Text("after_runs", "ids of the first runs after");
  StringColumn command = Text("command", "shows one of each side by side");
};
extern template const FleetRegressions& SchemaOf<FleetRegressions>();

struct FleetMovers : Schema<FleetMovers> {
  static constexpr std::string_view kName = "fleet_movers";

  StringColumn kernel_key = Text("kernel_key", "family of the kernel; null: all computing kernels");
  StringColumn basis =
      Text("basis", "fleet: times x weight, of runs that have one; recorded: as recorded");
  IntColumn before_ms = Int("before_ms", "ms", "time in the days before --split");
  IntColumn after_ms = Int("after_ms", "ms", "time in the days from --split on");
  IntColumn change_ms = Int("change_ms", "ms", "after - before = duration + count + mix, exactly");
  IntColumn duration_ms = Int("duration_ms", "ms", "because kernels got slower or faster");
  IntColumn count_ms = Int("count_ms", "ms", "because there are more or fewer launches");
  IntColumn mix_ms = Int("mix_ms", "ms", "because others are launched: devices, shapes, models");
  RealColumn index = Real("index", "",
                          "geometric mean of the strata's ratios of mean durations, weighted by "
                          "their time before; null: no stratum is in both");
};
extern template const FleetMovers& SchemaOf<FleetMovers>();

struct FleetModels : Schema<FleetModels> {
  static constexpr std::string_view kName = "fleet_models";

  StringColumn model = Text("model", "as given; null: not known");
  StringColumn device_model = Text("device_model", "on which it ran; null: not known");
  StringColumn period = Text("period", "the month, the week's Monday or the day");
  IntColumn runs = Int("runs", "", "recorded runs");
  IntColumn jobs = Int("jobs", "", "of so many jobs");
  IntColumn step_ns = Int("step_ns", "ns", "median over runs of the median step; null: not known");
  RealColumn change_pct =
      Real("change_pct", "%", "step_ns above (+) or below (-) the period before on such devices");
  RealColumn busy_pct = Real("busy_pct", "%", "of the recorded time, in which devices work");
  RealColumn device_hours = Real("device_hours", "h", "of the runs that state them; null: of none");
  IntColumn runs_without_hours = Int("runs_without_hours", "", "that state no device_hours");
  StringColumn frameworks = Text("frameworks", "the first and the last by name; null: not known");
  StringColumn example_run = Text("example_run", "the last run of the period");
};
extern template const FleetModels& SchemaOf<FleetModels>();

struct Capacity : Schema<Capacity> {
  static constexpr std::string_view kName = "capacity";

  StringColumn what = Text("what", "that is needed");
  RealColumn value = Real("value", "", "how much, in the unit of its row");
  StringColumn of_unit = Text("of_unit", "unit of the value");
  StringColumn formula = Text("formula", "how the value comes about");
};
extern template const Capacity& SchemaOf<Capacity>();

}  // namespace rankscope
