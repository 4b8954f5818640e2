#include "snoop_file/fields.h"
#include "snoop_file/window.h"

namespace rankscope::json {

template <>
const Fields<snoop_file::OffCpuProbes>& FieldsOf() {
  using T = snoop_file::OffCpuProbes;
  static const Fields<T> fields =
      Fields<T>("OffCpuProbes", "what looking took, and what of it was lost", Use::kReport)
          .Add<&T::switches>(snoop_file::Count("switches", "away from a core"))
          .Add<&T::time_ns>(snoop_file::Count("time_ns", "inside the probes, over all cores", "ns"))
          .Add<&T::lost_stacks>(snoop_file::Count("lost_stacks", "stacks that found no room"))
          .Add<&T::lost_sums>(snoop_file::Count("lost_sums", "waits that found no room"))
          .Add<&T::unseen_switches>(snoop_file::Count(
              "unseen_switches", "to a core: the time behind them is runnable_ns"));
  return fields;
}

template <>
const Fields<snoop_file::ThreadTime>& FieldsOf() {
  using T = snoop_file::ThreadTime;
  static const Fields<T> fields =
      Fields<T>("ThreadTime", "where the time of a thread went; all of it sums to lived_ns",
                Use::kReport)
          .Add<&T::thread>(snoop_file::Count("thread", "as the process numbers it"))
          .Add<&T::name>(
              {.name = "name", .doc = "as the kernel has it", .is_null_when_empty = true})
          .Add<&T::lived_ns>(snoop_file::Count("lived_ns", "in the window", "ns"))
          .Add<&T::on_cpu_ns>(snoop_file::Count("on_cpu_ns", "on a core", "ns"))
          .Add<&T::sleeping_ns>(snoop_file::Count(
              "sleeping_ns", "waiting for something that may come at any time", "ns"))
          .Add<&T::disk_ns>(snoop_file::Count("disk_ns", "waiting for a disk or its like", "ns"))
          .Add<&T::runnable_ns>(snoop_file::Count("runnable_ns", "ready, without a core", "ns"))
          .Add<&T::other_ns>(snoop_file::Count("other_ns", "stopped", "ns"));
  return fields;
}

template <>
const Fields<snoop_file::Wait>& FieldsOf() {
  using T = snoop_file::Wait;
  static const Fields<T> fields =
      Fields<T>("SnoopWait", "waits of a stack for one thing", Use::kReport)
          .Add<&T::reason>({.name = "reason", .doc = "sleeping, disk, runnable or other"})
          .Add<&T::what>({.name = "for", .doc = "a lock (futex), the device, ..."})
          .Add<&T::count>(snoop_file::Count("count", "how often"))
          .Add<&T::total_ns>(snoop_file::Count("total_ns", "in all", "ns"))
          .Add<&T::longest_ns>(snoop_file::Count("longest_ns", "of one", "ns"))
          .Add<&T::threads>(snoop_file::Count("threads", "that waited so"))
          .Add<&T::stack>(
              {.name = "stack", .doc = "outermost first", .most_items = snoop_file::kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::OffCpuWindow>& FieldsOf() {
  using T = snoop_file::OffCpuWindow;
  static const Fields<T> fields =
      Fields<T>("OffCpuWindow", "a window of offcpu", Use::kReport)
          .Extends<snoop_file::Window>()
          .Add<&T::probes>({.name = "probes", .doc = "what looking took"})
          .Add<&T::threads>({.name = "threads",
                             .doc = "the longest on a core first",
                             .most_items = snoop_file::kMostRows})
          .Add<&T::waits>(
              {.name = "waits", .doc = "the longest first", .most_items = snoop_file::kMostRows});
  return fields;
}

}  // namespace rankscope::json
