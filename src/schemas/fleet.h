// The rows that a store keeps of every run, for questions over all runs (src/fleet); `rankscope
// fleet query` queries them. Tables of answers are in schemas/fleet_answers.h.
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

// A run of the store: who ran what and where, and how much of it was recorded.
struct FleetRun : Schema<FleetRun> {
  static constexpr std::string_view kName = "fleet_run";

  StringColumn run_id = Text("run_id", "of the run in the store");
  StringColumn day = Text("day", "UTC day of the recording's begin, YYYY-MM-DD");
  IntColumn start_ns = Int(
      "start_ns", "ns",
      "begin of the recording since 1970; where its clock does not say, when the run was added");
  StringColumn name = Text("name", "of the run, as given");
  StringColumn job = Text("job", "the tag job, else the run's name: recordings of one job");
  StringColumn team = Text("team", "as given");
  StringColumn user = Text("user", "as given");
  StringColumn model = Text("model", "as given");
  StringColumn product = Text("product", "as given");
  StringColumn framework = Text("framework", "as given");
  StringColumn driver = Text("driver", "the tag driver");
  StringColumn cuda = Text("cuda", "the tag cuda");
  StringColumn image = Text("image", "the tag image");
  StringColumn commit = Text("commit", "the tag commit");
  StringColumn cluster = Text("cluster", "the tag cluster");
  StringColumn rack = Text("rack", "the tag rack");
  StringColumn host = Text("host", "host of all recorded ranks; null where they have several");
  StringColumn device_model =
      Text("device_model", "name of the devices; null where ranks have different ones");
  IntColumn world_size = Int("world_size", "", "ranks of the job; null when not known");
  IntColumn ranks = Int("ranks", "", "recorded ranks");
  IntColumn steps = Int("steps", "", "recorded steps of the job; null when not known");
  RealColumn step_ns = Real("step_ns", "ns", "median complete step of the job");
  IntColumn device_ms =
      Int("device_ms", "ms",
          "device time that the job was given in all, by who sent the run: the tag device_hours");
  IntColumn traced_wall_ns =
      Int("traced_wall_ns", "ns", "recorded time, summed over devices (utilisation)");
  IntColumn traced_busy_ns = Int("traced_busy_ns", "ns", "of that, in which the device works");
  RealColumn weight =
      Real("weight", "",
           "what a recorded nanosecond stands for: device_ms x 1e6 / traced_wall_ns; "
           "null where device_ms is not known");
  StringColumn bottleneck = Text("bottleneck", "of the report; null when not known");
  StringColumn content = Text("content", "of the report that the rows were made of");
};
extern template const FleetRun& SchemaOf<FleetRun>();

// A kernel of a run.
struct KernelRun : Schema<KernelRun> {
  static constexpr std::string_view kName = "kernel_run";

  StringColumn run_id = Text("run_id", "of the run in the store");
  StringColumn day = Text("day", "as fleet_run has it");
  StringColumn team = Text("team", "as given");
  StringColumn model = Text("model", "as given");
  StringColumn device_model = Text("device_model", "as fleet_run has it");
  StringColumn kernel_key =
      Text("kernel_key",
           "family of the kernel: its name without arguments, template values and counters, with "
           "functor and tile");
  StringColumn kernel_name = Text("kernel_name", "full name of the longest of its kernels");
  StringColumn kernel_class = Text("class", "what it is for (kernel_classes)");
  StringColumn work = Text("work", "compute, communication or copy");
  StringColumn bound =
      Text("bound",
           "memory or compute, if 90% of the modelled time of the class's ops in the run are "
           "bound by it (roofline), mixed below that; null when not known");
  StringColumn shape_bucket =
      Text("shape_bucket",
           "FLOPs and bytes of the op that launched it, two digits each: 8.6 GFLOP, 34 MB "
           "(kernel_sketches); null when not known");
  StringColumn dtype = Text("dtype", "by the name: fp8, bf16, fp16, tf32, fp32, fp64, int8");
  IntColumn ranks = Int("ranks", "", "ranks on which it ran, of its names the most");
  IntColumn launches = Int("launches", "", "how often it ran in the recording");
  IntColumn total_ns = Int("total_ns", "ns", "sum of its recorded durations");
  IntColumn fleet_launches =
      Int("fleet_launches", "", "launches x weight, rounded; null without a weight");
  IntColumn fleet_ms = Int("fleet_ms", "ms", "total_ns x weight, rounded; null without a weight");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  IntColumn p50_ns = Int("p50_ns", "ns", "median; null where only percentiles of parts are known");
  IntColumn p90_ns = Int("p90_ns", "ns", "90th percentile");
  IntColumn p99_ns = Int("p99_ns", "ns", "99th percentile");
  RealColumn log_mean = Real("log_mean", "", "mean of ln(duration / ns)");
  RealColumn log_var = Real("log_var", "", "variance (n - 1) of ln(duration / ns)");
  StringColumn sketch = Text("sketch",
                             "its durations in buckets that merge exactly; null for runs that an "
                             "older version of rankscope analysed");
};
extern template const KernelRun& SchemaOf<KernelRun>();

// A finding of a run.
struct FindingRun : Schema<FindingRun> {
  static constexpr std::string_view kName = "finding_run";

  StringColumn run_id = Text("run_id", "of the run in the store");
  StringColumn day = Text("day", "as fleet_run has it");
  StringColumn team = Text("team", "as given");
  StringColumn model = Text("model", "as given");
  StringColumn finding = Text("finding", "its id; rankscope explain ID");
  StringColumn severity = Text("severity", "high, medium or low");
  RealColumn gain_pct = Real("gain_pct", "%",
                             "of the step that its remedy saves; without the profiler, where "
                             "that is estimated (gain_unprofiled_pct of findings)");
  StringColumn gain_method = Text("gain_method", "replay, bound or estimate");
  IntColumn lost_ms =
      Int("lost_ms", "ms",
          "device_ms x gain_pct / 100, rounded; null where one of them is not known. "
          "Findings of a run overlap: do not add them");
};
extern template const FindingRun& SchemaOf<FindingRun>();

// The kernels of a day, with runs of equal strata merged.
struct KernelDay : Schema<KernelDay> {
  static constexpr std::string_view kName = "kernel_day";

  StringColumn day = Text("day", "as fleet_run has it");
  StringColumn team = Text("team", "as given");
  StringColumn model = Text("model", "as given");
  StringColumn device_model = Text("device_model", "as fleet_run has it");
  StringColumn kernel_key = Text("kernel_key", "as kernel_run has it");
  StringColumn kernel_class = Text("class", "what it is for (kernel_classes)");
  StringColumn work = Text("work", "compute, communication or copy");
  StringColumn bound = Text("bound", "as kernel_run has it");
  StringColumn shape_bucket = Text("shape_bucket", "as kernel_run has it");
  StringColumn dtype = Text("dtype", "as kernel_run has it");
  IntColumn runs = Int("runs", "", "rows of kernel_run: runs that have it");
  IntColumn runs_once = Int("runs_once", "",
                            "of these the runs that are counted here: each in one of its rows of a "
                            "kernel, class, work, dtype and device, so that sums over bounds and "
                            "shapes have it once");
  IntColumn launches = Int("launches", "", "sum");
  IntColumn total_ns = Int("total_ns", "ns", "sum");
  IntColumn fleet_launches = Int("fleet_launches", "", "sum of those known; null when none is");
  IntColumn fleet_ms = Int("fleet_ms", "ms", "sum of those known; null when none is");
  IntColumn unweighted_ns =
      Int("unweighted_ns", "ns", "part of total_ns whose weight is not known");
  IntColumn p50_ns = Int("p50_ns", "ns", "of all durations; null where a sketch is missing");
  IntColumn p90_ns = Int("p90_ns", "ns", "90th percentile, likewise");
  IntColumn p99_ns = Int("p99_ns", "ns", "99th percentile, likewise");
  StringColumn sketch = Text("sketch", "all sketches merged; null where one is missing");
  StringColumn example_run = Text("example_run", "run with the most of its time");
};
extern template const KernelDay& SchemaOf<KernelDay>();

}  // namespace rankscope
