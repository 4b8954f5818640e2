// The tables of kernels that other code reads.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct KernelsByName : Schema<KernelsByName> {
  static constexpr std::string_view kName = "kernels_by_name";

  StringColumn name = Text("name", "name of the kernel or copy as recorded");
  StringColumn class_ = Text("class", "what it is for (kernel_classes)");
  StringColumn work = Text("work", "what it counts as: compute, communication or copy");
  IntColumn ranks = Int("ranks", "", "ranks on which it ran");
  IntColumn count = Int("count", "", "how often it ran, on all ranks");
  IntColumn total_ns =
      Int("total_ns", "ns", "sum of its durations; work that overlaps counts more than once");
  RealColumn share_pct = Real("share_pct", "%", "total of all device work that is this one's");
  RealColumn mean_ns = Real("mean_ns", "ns", "total / count");
  RealColumn stddev_ns =
      Real("stddev_ns", "ns", "standard deviation of its durations (n - 1); null for a single one");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  IntColumn p50_ns = Int("p50_ns", "ns", "median, within 0.8%");
  IntColumn p90_ns = Int("p90_ns", "ns", "90th percentile, within 0.8%");
  IntColumn p99_ns = Int("p99_ns", "ns", "99th percentile, within 0.8%");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  IntColumn outliers = Int("outliers", "", "how many took far longer than their like");
  IntColumn slowest_rank = Int("slowest_rank", "", "the rank with the largest mean");
  RealColumn slowest_mean_ns = Real("slowest_mean_ns", "ns", "that rank's mean");
  IntColumn bytes = Int("bytes", "bytes", "bytes copied or set; null where none is stated");
};
extern template const KernelsByName& SchemaOf<KernelsByName>();

// Kept of a run for questions over many runs (rankscope fleet).
struct KernelSketches : Schema<KernelSketches> {
  static constexpr std::string_view kName = "kernel_sketches";

  StringColumn name = Text("name", "name of the kernel or copy as recorded");
  StringColumn class_ = Text("class", "what it is for (kernel_classes)");
  StringColumn work = Text("work", "what it counts as: compute, communication or copy");
  StringColumn size = Text(
      "size",
      "of the op that launched it, by the shapes of its inputs (roofline): 8.6 GFLOP, 34 MB; null "
      "where that is not known, and of a kernel's sizes beyond the 16 with most time");
  IntColumn ranks = Int("ranks", "", "ranks on which it ran");
  IntColumn count = Int("count", "", "how often it ran, on all ranks");
  IntColumn total_ns =
      Int("total_ns", "ns", "sum of its durations; work that overlaps counts more than once");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  StringColumn sketch =
      Text("sketch", "its durations in buckets that merge exactly (statistics/duration_buckets.h)");
};
extern template const KernelSketches& SchemaOf<KernelSketches>();

struct KernelSteps : Schema<KernelSteps> {
  static constexpr std::string_view kName = "kernel_steps";

  IntColumn step = Int("step", "", "number of the step");
  StringColumn name = Text("name", "name of the kernel or copy as recorded");
  StringColumn class_ = Text("class", "what it is for (kernel_classes)");
  IntColumn ranks = Int("ranks", "", "ranks on which it ran in this step");
  IntColumn count = Int("count", "", "how often it was launched in the step, on all ranks");
  IntColumn total_ns = Int("total_ns", "ns", "sum of its durations, on all ranks");
  RealColumn mean_per_rank_ns =
      Real("mean_per_rank_ns", "ns",
           "total_ns / ranks; every recording of a rank that has the step counts");
  RealColumn change_pct =
      Real("change_pct", "%", "mean_per_rank_ns above (+) or below (-) its median over the steps");
};
extern template const KernelSteps& SchemaOf<KernelSteps>();

struct KernelPlaces : Schema<KernelPlaces> {
  static constexpr std::string_view kName = "kernel_places";

  StringColumn name = Text("name", "name of the kernel or copy as recorded");
  StringColumn class_ = Text("class", "what it is for (kernel_classes)");
  StringColumn work = Text("work", "what it counts as: compute, communication or copy");
  IntColumn ranks = Int("ranks", "", "ranks on which it ran from there");
  IntColumn count = Int("count", "", "how often it ran, on all ranks");
  IntColumn total_ns =
      Int("total_ns", "ns", "sum of its durations; work that overlaps counts more than once");
  RealColumn share_pct = Real("share_pct", "%", "total of all device work that is this row's");
  RealColumn mean_ns = Real("mean_ns", "ns", "total / count");
  RealColumn roofline_pct =
      Real("roofline_pct", "%",
           "efficiency of the op that it is part of: time at the device's peak / time (roofline); "
           "null where the op has no cost model or the device no known peak");
  StringColumn op =
      Text("op",
           "innermost op around the launching call; (others): beyond the option places; null "
           "where none is known");
  StringColumn shapes = Text("shapes", "inputs of the innermost op that states any, JSON");
  StringColumn module = Text(
      "module", "classes of the nn.Modules around it, of backward work those of its forward op");
  StringColumn line =
      Text("line",
           "innermost function of the user's code around it, of backward work that of its "
           "forward op: train.py(214): step");
  StringColumn phase =
      Text("phase", "of the launching call: data loading, forward, backward, optimizer, other");
  StringColumn group = Text("group", "process group of communication, as described, else its name");
};
extern template const KernelPlaces& SchemaOf<KernelPlaces>();

}  // namespace rankscope
