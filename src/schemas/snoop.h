// The tables of snoop and offcpu windows that are stored beside traces (docs/snoop.md).
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

// Their common first columns.
struct WindowRows : Schema<WindowRows> {
  IntColumn window = Int("window", "", "its number among the job's windows, by their begin");
  IntColumn rank = Int("rank", "",
                       "by the process's environment, else of the trace of the same process; null: "
                       "not known");
};

struct SnoopWindows : Schema<SnoopWindows, WindowRows> {
  static constexpr std::string_view kName = "snoop_windows";

  StringColumn kind = Text("kind", "snoop or offcpu");
  StringColumn host = Text("host", "null where the file does not say");
  IntColumn pid = Int("pid", "", "of the process, as its host numbers it");
  StringColumn command = Text("command", "its words");
  IntColumn begin_ns = Int("begin_ns", "ns",
                           "from the job's origin, by the host's own clock: before it is negative");
  IntColumn window_ns = Int("window_ns", "ns", "its length");
  StringColumn cut = Text("cut", "why it ended early; null: it did not");
  IntColumn hits = Int("hits", "", "of probes: calls and their returns, or switches of threads");
  IntColumn probes_ns =
      Int("probes_ns", "ns", "inside the probes, over all cores; the traps to them are not in it");
  IntColumn lost = Int("lost", "", "events, stacks and sums that found no room");
  StringColumn libraries = Text("libraries", "that were looked at, with ; between");
  StringColumn late_libraries =
      Text("late_libraries", "loaded in the window and not looked at, with ; between");
  StringColumn notes = Text("notes", "what is to be known besides, with ; between");
};
extern template const SnoopWindows& SchemaOf<SnoopWindows>();

struct SnoopMemory : Schema<SnoopMemory, WindowRows> {
  static constexpr std::string_view kName = "snoop_memory";

  StringColumn level = Text("level", "who was called; one allocation is seen at several levels");
  StringColumn memory = Text("memory", "device, pinned host, or device, by handle");
  IntColumn allocations = Int("allocations", "", "that succeeded in the window");
  IntColumn allocated_bytes = Int("allocated_bytes", "bytes", "of these, by what was asked for");
  IntColumn frees = Int("frees", "", "of what was allocated in the window");
  IntColumn freed_bytes = Int("freed_bytes", "bytes", "of these");
  IntColumn frees_of_earlier = Int("frees_of_earlier", "", "of what was allocated before it");
  IntColumn live = Int("live", "", "allocations of the window that live at its end");
  IntColumn live_bytes = Int("live_bytes", "bytes", "of these");
  IntColumn peak_bytes =
      Int("peak_bytes", "bytes", "the most of the window's that lived at a time");
};
extern template const SnoopMemory& SchemaOf<SnoopMemory>();

struct SnoopMemoryOverTime : Schema<SnoopMemoryOverTime, WindowRows> {
  static constexpr std::string_view kName = "snoop_memory_over_time";

  StringColumn level = Text("level", "who was called");
  StringColumn memory = Text("memory", "device, pinned host, or device, by handle");
  IntColumn ts_ns = Int("ts_ns", "ns", "begin of the part, from the job's origin");
  IntColumn highest_bytes = Int("highest_bytes", "bytes", "the most that lived in the part");
  IntColumn last_bytes = Int("last_bytes", "bytes", "what lived at its end");
};
extern template const SnoopMemoryOverTime& SchemaOf<SnoopMemoryOverTime>();

struct SnoopAllocations : Schema<SnoopAllocations, WindowRows> {
  static constexpr std::string_view kName = "snoop_allocations";

  StringColumn level = Text("level", "who was called");
  StringColumn memory = Text("memory", "device, pinned host, or device, by handle");
  StringColumn call = Text("call", "by which it was allocated");
  StringColumn place =
      Text("place",
           "innermost Python frame; without one the innermost that is not of the call's library; "
           "null without a stack");
  IntColumn bytes = Int("bytes", "bytes", "allocated in the window and never freed in it");
  IntColumn count = Int("count", "", "allocations that these are");
  IntColumn allocations =
      Int("allocations", "", "all of the stack in the window, freed ones among them");
  RealColumn bytes_per_s = Real("bytes_per_s", "bytes/s", "bytes / length of the window");
  FlagColumn grows = Flag("grows", "each quarter of the window added to it");
  FlagColumn inner =
      Flag("inner", "made inside a call of a level above, where it is a row of its own");
  IntColumn oldest_ns = Int("oldest_ns", "ns", "age of the oldest at the window's end");
  IntColumn youngest_ns = Int("youngest_ns", "ns", "age of the youngest");
  StringColumn stack = Text("stack", "frames, outermost first, with ; between");
};
extern template const SnoopAllocations& SchemaOf<SnoopAllocations>();

struct SnoopFailures : Schema<SnoopFailures, WindowRows> {
  static constexpr std::string_view kName = "snoop_failures";

  StringColumn call = Text("call", "an allocation that returned an error");
  StringColumn place = Text("place", "as in snoop_allocations");
  IntColumn count = Int("count", "", "how often");
  IntColumn asked_bytes = Int("asked_bytes", "bytes", "that were asked for, in all");
  StringColumn errors = Text("errors", "NUMBER: how often, by the number that was returned");
  FlagColumn inner = Flag("inner", "made inside a call of a level above");
  StringColumn stack = Text("stack", "frames, outermost first, with ; between");
};
extern template const SnoopFailures& SchemaOf<SnoopFailures>();

struct SnoopCalls : Schema<SnoopCalls, WindowRows> {
  static constexpr std::string_view kName = "snoop_calls";

  StringColumn level = Text("level", "who is called");
  StringColumn call = Text("call", "the function");
  StringColumn library = Text("library", "the file that has it");
  StringColumn kind = Text("kind", "allocate, free, launch, wait or copy");
  IntColumn calls = Int("calls", "", "that began in the window; exact");
  RealColumn calls_per_s = Real("calls_per_s", "1/s", "calls / length of the window");
  IntColumn failed = Int("failed", "", "that returned another value than 0; null: not looked at");
  IntColumn unfinished =
      Int("unfinished", "", "that had not returned at the window's end; null: not looked at");
  IntColumn bytes =
      Int("bytes", "bytes", "of allocations and copies that succeeded; null: it states none");
  IntColumn time_ns = Int("time_ns", "ns", "of waits, from the call to its return; else null");
};
extern template const SnoopCalls& SchemaOf<SnoopCalls>();

struct SnoopRates : Schema<SnoopRates, WindowRows> {
  static constexpr std::string_view kName = "snoop_rates";

  StringColumn level = Text("level", "who is called");
  StringColumn kind = Text("kind", "allocate, free, launch, wait or copy");
  IntColumn ts_ns = Int("ts_ns", "ns", "from the job's origin");
  IntColumn duration_ns = Int("duration_ns", "ns", "about a second");
  IntColumn calls = Int("calls", "", "that began in it");
  RealColumn calls_per_s = Real("calls_per_s", "1/s", "calls / duration_ns");
};
extern template const SnoopRates& SchemaOf<SnoopRates>();

struct SnoopUses : Schema<SnoopUses, WindowRows> {
  static constexpr std::string_view kName = "snoop_uses";

  StringColumn level = Text("level", "who is called");
  StringColumn kind = Text("kind", "launch, wait, copy, or allocate where only entries are seen");
  StringColumn call = Text("call", "the function");
  StringColumn function = Text("function", "that was launched; null: not known");
  StringColumn place = Text("place", "as in snoop_allocations");
  IntColumn count = Int("count", "", "how often");
  IntColumn bytes = Int("bytes", "bytes", "of copies and allocations; else null");
  IntColumn time_ns = Int("time_ns", "ns", "of waits, from the call to its return; else null");
  FlagColumn inner = Flag("inner", "made inside a call of a level above");
  StringColumn stack = Text("stack", "frames, outermost first, with ; between");
};
extern template const SnoopUses& SchemaOf<SnoopUses>();

struct SnoopThreads : Schema<SnoopThreads, WindowRows> {
  static constexpr std::string_view kName = "snoop_threads";

  IntColumn thread = Int("thread", "", "as the process numbers it");
  StringColumn name = Text("name", "as the kernel has it");
  IntColumn lived_ns = Int("lived_ns", "ns", "in the window: the sum of the others");
  IntColumn on_cpu_ns = Int("on_cpu_ns", "ns", "on a core");
  IntColumn sleeping_ns = Int("sleeping_ns", "ns", "waiting for what may come at any time");
  IntColumn disk_ns = Int("disk_ns", "ns", "waiting for a disk or its like");
  IntColumn runnable_ns = Int("runnable_ns", "ns", "ready, without a core");
  IntColumn other_ns = Int("other_ns", "ns", "stopped");
};
extern template const SnoopThreads& SchemaOf<SnoopThreads>();

struct SnoopWaits : Schema<SnoopWaits, WindowRows> {
  static constexpr std::string_view kName = "snoop_waits";

  StringColumn reason = Text("reason", "sleeping, disk, runnable (no core) or other (stopped)");
  StringColumn waited_for = Text("waited_for", "a lock (futex), the device, time to pass, ...");
  StringColumn place = Text("place", "as in snoop_allocations");
  IntColumn total_ns = Int("total_ns", "ns", "in all, summed over threads");
  IntColumn count = Int("count", "", "waits");
  IntColumn longest_ns = Int("longest_ns", "ns", "of one");
  IntColumn threads = Int("threads", "", "that waited so");
  StringColumn stack = Text("stack", "frames, outermost first, with ; between; null: not known");
};
extern template const SnoopWaits& SchemaOf<SnoopWaits>();

}  // namespace rankscope
