// The tables of device activity.
#pragma once

#include "schemas/rank_rows.h"

namespace rankscope {

struct Overlap : Schema<Overlap, RankRows> {
  static constexpr std::string_view kName = "overlap";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  IntColumn duration_ns = Int(column::DeviceWindowLength());
  IntColumn compute_ns =
      Int("compute_ns", "ns", "time in which at least one computing kernel runs");
  IntColumn communication_ns =
      Int("communication_ns", "ns", "time in which at least one communication kernel runs");
  IntColumn copy_ns = Int("copy_ns", "ns", "time in which at least one copy or memset runs");
  IntColumn communication_hidden_ns = Int(
      "communication_hidden_ns", "ns", "part of communication_ns in which a kernel computes, too");
  RealColumn communication_hidden_pct =
      Real("communication_hidden_pct", "%",
           "communication_hidden_ns of communication_ns; null without communication");
  IntColumn copy_hidden_ns = Int("copy_hidden_ns", "ns",
                                 "part of copy_ns in which a kernel computes or communicates, too");
  RealColumn copy_hidden_pct =
      Real("copy_hidden_pct", "%", "copy_hidden_ns of copy_ns; null without copies");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Overlap& SchemaOf<Overlap>();

struct Utilisation : Schema<Utilisation, RankRows> {
  static constexpr std::string_view kName = "utilisation";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  IntColumn duration_ns = Int(column::DeviceWindowLength());
  IntColumn busy_ns = Int("busy_ns", "ns", "time in which a kernel, copy or memset runs");
  RealColumn busy_pct = Real("busy_pct", "%", "busy_ns of what was observed of duration_ns");
  IntColumn kernel_ns = Int("kernel_ns", "ns", "time in which at least one kernel runs");
  RealColumn sm_efficiency_pct =
      Real("sm_efficiency_pct", "%",
           "estimate: mean share of multiprocessors with at least one block, over the "
           "whole window; 0 where no kernel runs; null when none states its blocks");
  RealColumn occupancy_pct =
      Real("occupancy_pct", "%",
           "estimate: mean achieved occupancy of kernels, weighted by duration; null when "
           "none states it");
  RealColumn known_pct =
      Real("known_pct", "%",
           "share of the kernels' time in the window, summed, whose kernels state their "
           "blocks per SM; null without kernels");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Utilisation& SchemaOf<Utilisation>();

struct KernelClasses : Schema<KernelClasses, RankRows> {
  static constexpr std::string_view kName = "kernel_classes";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  StringColumn kernel_class = Text("class", "class of the work");
  IntColumn count =
      Int("count", "", "kernels, copies and memsets of the class launched in the step");
  IntColumn total_ns =
      Int("total_ns", "ns", "sum of their whole durations; overlapping work counts twice");
  IntColumn busy_ns = Int("busy_ns", "ns", "time in the window in which the class runs");
  IntColumn alone_ns = Int("alone_ns", "ns", "part of busy_ns in which no other class runs");
  RealColumn share_pct =
      Real("share_pct", "%", "busy_ns of the time in which the device works at all");
  FlagColumn complete = Flag(column::Complete());
};
extern template const KernelClasses& SchemaOf<KernelClasses>();

struct ClassOverlap : Schema<ClassOverlap, RankRows> {
  static constexpr std::string_view kName = "class_overlap";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  StringColumn classes = Text("classes", "the classes that run together, \"gemm + nccl\"");
  IntColumn class_count = Int("class_count", "", "how many these are");
  IntColumn time_ns = Int("time_ns", "ns", "time in which exactly these classes run");
  RealColumn share_pct =
      Real("share_pct", "%", "time_ns of the time in which the device works at all");
  FlagColumn complete = Flag(column::Complete());
};
extern template const ClassOverlap& SchemaOf<ClassOverlap>();

struct StreamGaps : Schema<StreamGaps, RankRows> {
  static constexpr std::string_view kName = "stream_gaps";

  IntColumn device = Int(column::Device());
  IntColumn stream = Int(column::Stream());
  IntColumn step = Int(column::StepOfLaunch());
  StringColumn cause = Text("cause", "host, data, sync, launch, gap, stream or unknown");
  IntColumn count = Int("count", "", "parts of gaps with this cause");
  IntColumn total_ns = Int("total_ns", "ns", "their summed length");
  RealColumn share_pct =
      Real("share_pct", "%", "total_ns of all gaps of the stream before work of the step");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  RealColumn mean_ns = Real("mean_ns", "ns", "total_ns / count");
  RealColumn p50_ns = Real("p50_ns", "ns", "median");
  RealColumn p90_ns = Real("p90_ns", "ns", "90th percentile");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  FlagColumn complete = Flag(column::Complete());
};
extern template const StreamGaps& SchemaOf<StreamGaps>();

struct IdleGaps : Schema<IdleGaps, RankRows> {
  static constexpr std::string_view kName = "idle_gaps";
  static constexpr std::string_view kOthers = "(others)";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  StringColumn cause = Text("cause",
                            "as time_breakdown has it: idle_host, idle_data, idle_sync, "
                            "idle_launch, idle_gap, idle_stream, unknown");
  IntColumn gaps = Int("gaps", "", "how many");
  IntColumn total_ns = Int("total_ns", "ns", "their time");
  RealColumn share_pct = Real("share_pct", "%", "of the step's window on the device");
  StringColumn host_op =
      Text("host_op",
           "outermost op in which the host thread was for most of the gap; null: in none; "
           "\"(others)\": of all that is not told");
  StringColumn host_range = Text("host_range", "innermost annotation around that; null: in none");
  StringColumn host_call =
      Text("host_call", "call of the device's API in which it was then; null: in none");
  StringColumn host_line =
      Text("host_line", "innermost frame of the user's code; null: none was recorded");
  IntColumn longest_ns = Int("longest_ns", "ns", "of the longest gap");
  IntColumn longest_start_ns = Int("longest_start_ns", "ns", "begin of the longest");
  FlagColumn complete = Flag(column::Complete());
};
extern template const IdleGaps& SchemaOf<IdleGaps>();

}  // namespace rankscope
