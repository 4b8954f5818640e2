// The tables of steps, and of the parts of their time, that other code reads.
#pragma once

#include <array>
#include <string_view>

#include "schemas/part_shares.h"
#include "schemas/rank_rows.h"
#include "schemas/words.h"

namespace rankscope {

struct TimeBreakdown : Schema<TimeBreakdown, RankRows> {
  static constexpr std::string_view kName = "time_breakdown";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  IntColumn duration_ns = Int("duration_ns", "ns",
                              "length of the device's window; the columns up to "
                              "not_observed_ns sum to it exactly");
  IntColumn compute_ns =
      Int("compute_ns", "ns", "time in which at least one computing kernel runs");
  IntColumn exposed_communication_ns =
      Int("exposed_communication_ns", "ns", "time of communication kernels in which none computes");
  IntColumn exposed_copy_ns =
      Int("exposed_copy_ns", "ns",
          "time of copies and memsets in which neither computes nor communicates");
  IntColumn idle_host_ns = Int(
      "idle_host_ns", "ns", "idle: nothing was queued, the host had not issued the next work yet");
  IntColumn idle_data_ns =
      Int("idle_data_ns", "ns", "idle: nothing was queued, the launching thread was fetching data");
  IntColumn idle_sync_ns =
      Int("idle_sync_ns", "ns",
          "idle: nothing was queued, the launching thread was inside a call that waits for the "
          "device");
  IntColumn idle_launch_ns =
      Int("idle_launch_ns", "ns", "idle: the next work was just being launched");
  IntColumn idle_gap_ns = Int(
      "idle_gap_ns", "ns", "idle: work was queued on the same stream; the device changed kernels");
  IntColumn idle_stream_ns =
      Int("idle_stream_ns", "ns", "idle: work was queued and had waited for another stream");
  IntColumn unknown_ns = Int("unknown_ns", "ns", "idle without a cause that the trace shows");
  IntColumn not_observed_ns = Int(
      "not_observed_ns", "ns",
      "time at an end of the recording in which the device did what was not recorded; not idle");
  IntColumn communication_ns =
      Int("communication_ns", "ns", "time of communication kernels, hidden or not");
  IntColumn copy_ns = Int("copy_ns", "ns", "time of copies and memsets, hidden or not");
  IntColumn launched_busy_ns =
      Int("launched_busy_ns", "ns",
          "busy time of work that the host launched in the step, wherever it ran; not part of the "
          "sum");
  FlagColumn complete = Flag(column::Complete());

  // In the order of kParts.
  std::array<IntColumn, kParts.size()> PartColumns() const {
    return {compute_ns,   exposed_communication_ns, exposed_copy_ns, idle_host_ns,   idle_data_ns,
            idle_sync_ns, idle_launch_ns,           idle_gap_ns,     idle_stream_ns, unknown_ns};
  }
};
extern template const TimeBreakdown& SchemaOf<TimeBreakdown>();

struct StepTimes : Schema<StepTimes, RankRows> {
  static constexpr std::string_view kName = "step_times";

  IntColumn step = Int("step", "", "number that its mark states, or counted from 0 when inferred");
  IntColumn start_ns =
      Int("start_ns", "ns",
          "begin of the rank's window, from the job's origin, by the rank's own clock; null when "
          "its devices did nothing of the step");
  IntColumn duration_ns = Int("duration_ns", "ns", "length of the rank's window");
  RealColumn vs_median_pct =
      Real("vs_median_pct", "%",
           "duration above (+) or below (-) the median of the job's complete steps");
  IntColumn host_duration_ns =
      Int("host_duration_ns", "ns", "length of the host's window: from its mark to the next");
  IntColumn lag_ns = Int("lag_ns", "ns",
                         "how long behind the host's window the rank's ends: how far the host runs "
                         "ahead; null without device work");
  IntColumn device_work =
      Int("device_work", "",
          "kernels, copies and memsets that begin in the rank's window, on all devices");
  IntColumn launched_work =
      Int("launched_work", "", "kernels, copies and memsets that the host launched in the step");
  FlagColumn inferred = Flag("inferred", "no mark states the number of the step: it was counted");
  FlagColumn complete =
      Flag("complete", "false when the recording cut the step off: it is left out of statistics");
  StringColumn marked_by =
      Text("marked_by",
           "what tells where it begins: profiler (ProfilerStep), device, engine, "
           "annotation, optimizer, data loader, iteration, period");
  StringColumn phase = Text("phase",
                            "of an engine's step: prefill, decode, mixed, verify, draft, idle, "
                            "other; null elsewhere");
};
extern template const StepTimes& SchemaOf<StepTimes>();

struct DeviceStepWindows : Schema<DeviceStepWindows, RankRows> {
  static constexpr std::string_view kName = "device_steps";

  IntColumn device = Int(column::Device());
  IntColumn step = Int("step", "", "number of the step, as in step_times");
  IntColumn start_ns =
      Int("start_ns", "ns", "begin of the window, from the job's origin, by the rank's own clock");
  IntColumn end_ns = Int("end_ns", "ns",
                         "end of the window: the device has finished what the host launched up to "
                         "the end of its step");
  IntColumn lag_ns =
      Int("lag_ns", "ns",
          "end_ns less the end of the host's step: how far the host runs ahead; null "
          "where the windows are the host's");
  IntColumn works = Int("works", "", "kernels, copies and memsets that the step launched");
  FlagColumn inferred = Flag("inferred", "no mark states the number of the step: it was counted");
  FlagColumn complete = Flag("complete", "false when the step is left out of statistics");
};
extern template const DeviceStepWindows& SchemaOf<DeviceStepWindows>();

struct JobSteps : Schema<JobSteps> {
  static constexpr std::string_view kName = "job_steps";

  IntColumn group = Int("group", "", "of recordings that overlap in time (captures)");
  IntColumn step = Int("step", "", "number of the step, as in step_times");
  IntColumn start_ns =
      Int("start_ns", "ns",
          "when the last rank ended the step before, from the job's origin, by the "
          "aligned clock; null where clocks are not aligned");
  IntColumn duration_ns =
      Int("duration_ns", "ns",
          "until the last rank ends this step; where clocks are not aligned, the median of the "
          "ranks' own durations");
  IntColumn ranks = Int("ranks", "", "ranks that took part");
  FlagColumn aligned = Flag("aligned", "the ranks have one clock, so the step is the job's own");
  FlagColumn complete = Flag("complete", "false when it is left out of statistics on any rank");
};
extern template const JobSteps& SchemaOf<JobSteps>();

struct StepSpread : Schema<StepSpread> {
  static constexpr std::string_view kName = "step_spread";

  IntColumn step = Int("step", "", "number of the step; null = all of them together");
  IntColumn ranks = Int("ranks", "", "ranks that ran it completely");
  IntColumn steps = Int("steps", "", "complete steps counted, over ranks and recordings");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  RealColumn p25_ns = Real("p25_ns", "ns", "25th percentile");
  RealColumn median_ns = Real("median_ns", "ns", "median");
  RealColumn mean_ns = Real("mean_ns", "ns", "mean");
  RealColumn p75_ns = Real("p75_ns", "ns", "75th percentile");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  IntColumn fastest_rank =
      Int("fastest_rank", "", "the rank with the shortest, the lowest of several");
  IntColumn slowest_rank =
      Int("slowest_rank", "", "the rank with the longest, the lowest of several");
  FlagColumn inferred = Flag("inferred", "no mark states the number of the step: it was counted");
};
extern template const StepSpread& SchemaOf<StepSpread>();

struct StepPhases : Schema<StepPhases> {
  static constexpr std::string_view kName = "step_phases";

  StringColumn phase = Text("phase", "of the engine's steps, as in step_times");
  IntColumn ranks = Int("ranks", "", "ranks that ran it completely");
  IntColumn recorded = Int("recorded", "", "steps, over ranks and recordings, cut ones too");
  IntColumn steps =
      Int("steps", "", "complete ones of them, of which the columns behind this one are");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  RealColumn median_ns = Real("median_ns", "ns", "median");
  RealColumn mean_ns = Real("mean_ns", "ns", "mean");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  RealColumn time_pct = Real("time_pct", "%", "of the time of all complete steps");
  RealColumn busy_ns = Real("busy_ns", "ns",
                            "of a step, in which a device computes, communicates or copies, in the "
                            "mean over devices: what waits for requests is not in it; null without "
                            "device work");
  RealColumn busy_pct =
      Real("busy_pct", "%", "the same, of the observed time of the devices in these steps");
  RealColumn works = Real("works", "", "kernels, copies and memsets that a step launches");
};
extern template const StepPhases& SchemaOf<StepPhases>();

struct JobBreakdown : Schema<JobBreakdown, PartShares> {
  static constexpr std::string_view kName = "job_breakdown";

  JobBreakdown()
      : Schema("compute, exposed_communication, exposed_copy, idle_..., unknown", "device") {}
};
extern template const JobBreakdown& SchemaOf<JobBreakdown>();

struct RankBreakdown : Schema<RankBreakdown> {
  static constexpr std::string_view kName = "rank_breakdown";

  IntColumn rank = Int(column::Rank());
  IntColumn device = Int(column::Device());
  StringColumn part =
      Text("part", "compute, exposed_communication, exposed_copy, idle_..., unknown");
  IntColumn duration_ns = Int("duration_ns", "ns", "time of the part, over the counted windows");
  RealColumn share_pct = Real("share_pct", "%", "duration_ns of all parts of the device");
  IntColumn windows = Int("windows", "", "how many windows were counted");
};
extern template const RankBreakdown& SchemaOf<RankBreakdown>();

struct Phases : Schema<Phases, RankRows> {
  static constexpr std::string_view kName = "phases";

  IntColumn step = Int(column::StepOfHost());
  StringColumn phase = Text("phase", "data loading, forward, backward, optimizer or other");
  IntColumn duration_ns =
      Int("duration_ns", "ns",
          "wall-clock time of the host in this phase; the phases sum to the window");
  RealColumn share_pct = Real("share_pct", "%", "duration_ns of the window");
  IntColumn works =
      Int("works", "", "kernels, copies and memsets launched in this phase of the window");
  IntColumn device_ns =
      Int("device_ns", "ns",
          "united time of these, summed over devices, wherever and whenever they run");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Phases& SchemaOf<Phases>();

}  // namespace rankscope
