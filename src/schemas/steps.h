// The tables of steps and of the parts of their time that others read.
#pragma once

#include "schemas/rank_rows.h"

namespace rankscope {

struct TimeBreakdown : RankRows {
  static constexpr std::string_view kName = "time_breakdown";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfWindow());
  IntColumn duration_ns = Int("duration_ns", "ns",
                              "length of the window; the columns up to unknown_ns sum to it "
                              "exactly");
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
  IntColumn communication_ns =
      Int("communication_ns", "ns", "time of communication kernels, hidden or not");
  IntColumn copy_ns = Int("copy_ns", "ns", "time of copies and memsets, hidden or not");
  IntColumn launched_busy_ns =
      Int("launched_busy_ns", "ns",
          "busy time of work whose launching call begins in the window, wherever it ran; not part "
          "of the sum");
  FlagColumn complete = Flag(column::Complete());
};

struct Phases : RankRows {
  static constexpr std::string_view kName = "phases";

  IntColumn step = Int(column::StepOfWindow());
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

}  // namespace rankscope
