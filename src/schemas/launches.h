// The tables of launches and of the device queues.
#pragma once

#include "schemas/rank_rows.h"

namespace rankscope {

struct Launches : Schema<Launches, RankRows> {
  static constexpr std::string_view kName = "launches";

  IntColumn step = Int(column::StepOfHost());
  StringColumn call =
      Text("call", "name of the call: cudaLaunchKernel, cuLaunchKernel, hipGraphLaunch");
  IntColumn count = Int("count", "", "calls that begin in the step");
  IntColumn works = Int("works", "", "kernels, copies and memsets that they launched");
  IntColumn without_work = Int("without_work", "", "calls whose work was not recorded");
  IntColumn total_ns = Int("total_ns", "ns", "summed host time of the calls");
  RealColumn mean_ns = Real("mean_ns", "ns", "total_ns / count");
  RealColumn p50_ns = Real("p50_ns", "ns", "median host time");
  RealColumn p99_ns = Real("p99_ns", "ns", "99th percentile of the host time");
  IntColumn max_ns = Int("max_ns", "ns", "longest call");
  IntColumn slow_calls = Int("slow_calls", "", "calls longer than the option slow_call_us");
  RealColumn delay_mean_ns =
      Real("delay_mean_ns", "ns",
           "mean time from a call's return to the begin of its first work, 0 when it began "
           "before; null when no work was recorded");
  RealColumn delay_p50_ns = Real("delay_p50_ns", "ns", "median delay");
  RealColumn delay_p99_ns = Real("delay_p99_ns", "ns", "99th percentile of the delay");
  IntColumn delay_max_ns = Int("delay_max_ns", "ns", "longest delay");
  IntColumn late_starts =
      Int("late_starts", "",
          "calls whose work began later than late_start_us after its stream was free for it");
  IntColumn short_work =
      Int("short_work", "", "calls that took longer than the work that they launched");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Launches& SchemaOf<Launches>();

struct QueueLength : Schema<QueueLength, RankRows> {
  static constexpr std::string_view kName = "queue_length";

  IntColumn device = Int(column::Device());
  IntColumn stream = Int(column::Stream());
  IntColumn step = Int(column::StepOfDevice());
  IntColumn duration_ns = Int(column::DeviceWindowLength());
  IntColumn issued = Int("issued", "", "kernels, copies and memsets issued in the step");
  RealColumn mean = Real("mean", "", "mean length of the queue, weighted by time");
  IntColumn p50 = Int("p50", "", "length that is not exceeded for half of the window");
  IntColumn p90 = Int("p90", "", "length that is not exceeded for 90% of the window");
  IntColumn max = Int("max", "", "largest length");
  IntColumn empty_ns = Int("empty_ns", "ns", "time in which the queue is empty");
  IntColumn full_ns = Int("full_ns", "ns", "time in which at least full_at launches wait in it");
  IntColumn blocked_ns =
      Int("blocked_ns", "ns", "host time inside calls that issue to this queue while it is full");
  FlagColumn complete = Flag(column::Complete());
};
extern template const QueueLength& SchemaOf<QueueLength>();

}  // namespace rankscope
