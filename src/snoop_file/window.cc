#include "snoop_file/window.h"

#include "json/fields.h"

namespace rankscope::json {

namespace {

// What a file may make this program hold: more is cut.
constexpr std::int64_t kMost = std::int64_t{1} << 62;
constexpr std::size_t kMostRows = 100'000;
constexpr std::size_t kMostFrames = 300;
constexpr std::size_t kMostParts = 10'000;
constexpr std::size_t kMostSentences = 1000;

}  // namespace

template <>
const Fields<snoop_file::Window>& FieldsOf() {
  using T = snoop_file::Window;
  static const Fields<T> fields =
      Fields<T>("WindowHead", "a window of one process: whose, and when", Use::kReport)
          .Add<&T::format>({.name = "format", .doc = "what the document is, with its version"})
          .Add<&T::pid>({.name = "pid",
                         .doc = "of the process, as its host numbers it",
                         .least = 0,
                         .most = kMost})
          .Add<&T::host>({.name = "host", .doc = "by its own name", .is_null_when_empty = true})
          .Add<&T::rank>({.name = "rank",
                          .doc = "RANK, SLURM_PROCID or what MPI calls it, of its environment; "
                                 "null: it says none",
                          .least = 0,
                          .most = kMost})
          .Add<&T::world_size>({.name = "world_size",
                                .doc = "how many ranks its environment says that there are",
                                .least = 0,
                                .most = kMost})
          .Add<&T::job>({.name = "job",
                         .doc = "SLURM_JOB_ID or TORCHELASTIC_RUN_ID of its environment",
                         .is_null_when_empty = true})
          .Add<&T::command>({.name = "command",
                             .doc = "its words",
                             .most_bytes = 4096,
                             .is_null_when_empty = true})
          .Add<&T::begin_unix_ns>({.name = "begin_unix_ns",
                                   .doc = "when the window began, since 1970 by the host's clock",
                                   .unit = "ns",
                                   .least = 0,
                                   .most = kMost})
          .Add<&T::window_ns>({.name = "window_ns",
                               .doc = "how long it was",
                               .unit = "ns",
                               .least = 0,
                               .most = kMost})
          .Add<&T::asked_ns>({.name = "asked_ns",
                              .doc = "how long it was to be",
                              .unit = "ns",
                              .least = 0,
                              .most = kMost})
          .Add<&T::cut>({.name = "cut",
                         .doc = "why it ended early, a sentence; null: it did not",
                         .is_null_when_empty = true})
          .Add<&T::notes>({.name = "notes",
                           .doc = "what is to be known besides, sentences",
                           .most_items = kMostSentences});
  return fields;
}

template <>
const Fields<snoop_file::Frame>& FieldsOf() {
  using T = snoop_file::Frame;
  static const Fields<T> fields =
      Fields<T>("SnoopFrame", "a frame of a stack", Use::kReport)
          .Add<&T::function>({.name = "function", .doc = "its name"})
          .Add<&T::file>({.name = "file",
                          .doc = "of Python its source, of native code its library",
                          .is_null_when_empty = true})
          .Add<&T::line>(
              {.name = "line", .doc = "of Python; null: not known", .least = 0, .most = kMost})
          .Add<&T::language>({.name = "language", .doc = "python or native"});
  return fields;
}

template <>
const Fields<snoop_file::Probes>& FieldsOf() {
  using T = snoop_file::Probes;
  static const Fields<T> fields =
      Fields<T>("SnoopProbes", "what looking took, and what of it was lost", Use::kReport)
          .Add<&T::hits>({.name = "hits", .doc = "of probes", .least = 0, .most = kMost})
          .Add<&T::time_ns>(
              {.name = "time_ns",
               .doc = "inside the probes, over all cores; the traps to them are not in it",
               .unit = "ns",
               .least = 0,
               .most = kMost})
          .Add<&T::lost_events>({.name = "lost_events",
                                 .doc = "allocations and frees that found no room",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::lost_stacks>({.name = "lost_stacks",
                                 .doc = "stacks that found no room",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::lost_sums>({.name = "lost_sums",
                               .doc = "launches, waits and copies that found no room by stack",
                               .least = 0,
                               .most = kMost})
          .Add<&T::abandoned_calls>({.name = "abandoned_calls",
                                     .doc = "calls that were never seen to return",
                                     .least = 0,
                                     .most = kMost})
          .Add<&T::nested_calls>(
              {.name = "nested_calls",
               .doc = "calls inside another one of their level, counted once with it",
               .least = 0,
               .most = kMost})
          .Add<&T::stacks>({.name = "stacks", .doc = "that were seen", .least = 0, .most = kMost})
          .Add<&T::stacks_cut>({.name = "stacks_cut",
                                .doc = "whose outermost frames are missing",
                                .least = 0,
                                .most = kMost})
          .Add<&T::python_frames_without_names>(
              {.name = "python_frames_without_names",
               .doc = "whose code was gone when its name was read",
               .least = 0,
               .most = kMost})
          .Add<&T::stacks_without_python>({.name = "stacks_without_python",
                                           .doc = "whose Python frames could not be read",
                                           .least = 0,
                                           .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::CallCount>& FieldsOf() {
  using T = snoop_file::CallCount;
  static const Fields<T> fields =
      Fields<T>("CallCount", "a function that was called; exact, counted in the kernel",
                Use::kReport)
          .Add<&T::level>(
              {.name = "level",
               .doc = "who is called: PyTorch's allocator, CUDA runtime, HIP, CUDA driver"})
          .Add<&T::library>({.name = "library", .doc = "the file that has it"})
          .Add<&T::call>({.name = "call", .doc = "its name"})
          .Add<&T::kind>({.name = "kind", .doc = "allocate, free, launch, wait or copy"})
          .Add<&T::calls>(
              {.name = "calls", .doc = "that began in the window", .least = 0, .most = kMost})
          .Add<&T::failed>(
              {.name = "failed",
               .doc = "that returned another value than 0; null: returns are not looked at",
               .least = 0,
               .most = kMost})
          .Add<&T::unfinished>({.name = "unfinished",
                                .doc = "that had not returned when the window ended",
                                .least = 0,
                                .most = kMost})
          .Add<&T::bytes>({.name = "bytes",
                           .doc = "of allocations and copies that succeeded",
                           .unit = "bytes",
                           .least = 0,
                           .most = kMost})
          .Add<&T::time_ns>({.name = "time_ns",
                             .doc = "of waits, from the call to its return",
                             .unit = "ns",
                             .least = 0,
                             .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::Domain>& FieldsOf() {
  using T = snoop_file::Domain;
  static const Fields<T> fields =
      Fields<T>("SnoopDomain", "whose memory: levels and kinds are never added up", Use::kReport)
          .Add<&T::level>({.name = "level", .doc = "who was called"})
          .Add<&T::memory>({.name = "memory", .doc = "device, pinned host, or device, by handle"});
  return fields;
}

template <>
const Fields<snoop_file::Memory>& FieldsOf() {
  using T = snoop_file::Memory;
  static const Fields<T> fields =
      Fields<T>("SnoopMemory", "what was allocated and freed in the window", Use::kReport)
          .Extends<snoop_file::Domain>()
          .Add<&T::allocations>(
              {.name = "allocations", .doc = "that succeeded", .least = 0, .most = kMost})
          .Add<&T::allocated_bytes>({.name = "allocated_bytes",
                                     .doc = "by what was asked for",
                                     .unit = "bytes",
                                     .least = 0,
                                     .most = kMost})
          .Add<&T::frees>({.name = "frees",
                           .doc = "of what was allocated in the window",
                           .least = 0,
                           .most = kMost})
          .Add<&T::freed_bytes>({.name = "freed_bytes",
                                 .doc = "of these",
                                 .unit = "bytes",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::frees_of_earlier>({.name = "frees_of_earlier",
                                      .doc = "of what was allocated before it",
                                      .least = 0,
                                      .most = kMost})
          .Add<&T::replaced>(
              {.name = "replaced",
               .doc = "whose address was given out again without a free that was seen",
               .least = 0,
               .most = kMost})
          .Add<&T::replaced_bytes>({.name = "replaced_bytes",
                                    .doc = "of these",
                                    .unit = "bytes",
                                    .least = 0,
                                    .most = kMost})
          .Add<&T::live>({.name = "live",
                          .doc = "allocations of the window that live at its end",
                          .least = 0,
                          .most = kMost})
          .Add<&T::live_bytes>(
              {.name = "live_bytes", .doc = "of these", .unit = "bytes", .least = 0, .most = kMost})
          .Add<&T::peak_bytes>({.name = "peak_bytes",
                                .doc = "the most that lived at a time",
                                .unit = "bytes",
                                .least = 0,
                                .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::NeverFreed>& FieldsOf() {
  using T = snoop_file::NeverFreed;
  static const Fields<T> fields =
      Fields<T>("NeverFreed", "what a stack allocated in the window and was not freed in it",
                Use::kReport)
          .Extends<snoop_file::Domain>()
          .Add<&T::call>({.name = "call", .doc = "by which"})
          .Add<&T::count>(
              {.name = "count", .doc = "allocations that live", .least = 0, .most = kMost})
          .Add<&T::bytes>(
              {.name = "bytes", .doc = "of these", .unit = "bytes", .least = 0, .most = kMost})
          .Add<&T::allocations_of_the_stack>({.name = "allocations_of_the_stack",
                                              .doc = "all of the stack, freed ones among them",
                                              .least = 0,
                                              .most = kMost})
          .Add<&T::oldest_ns>({.name = "oldest_ns",
                               .doc = "age of the oldest at the end of the window",
                               .unit = "ns",
                               .least = 0,
                               .most = kMost})
          .Add<&T::youngest_ns>({.name = "youngest_ns",
                                 .doc = "age of the youngest",
                                 .unit = "ns",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::in_all_quarters>(
              {.name = "in_all_quarters", .doc = "each quarter of the window added to it"})
          .Add<&T::inside_a_level_above>(
              {.name = "inside_a_level_above",
               .doc = "made by a call of a level above, which has it as well"})
          .Add<&T::stack>({.name = "stack", .doc = "outermost first", .most_items = kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::Timeline>& FieldsOf() {
  using T = snoop_file::Timeline;
  static const Fields<T> fields =
      Fields<T>("SnoopTimeline", "live bytes of the window over time, in equal parts", Use::kReport)
          .Extends<snoop_file::Domain>()
          .Add<&T::part_ns>({.name = "part_ns",
                             .doc = "length of a part",
                             .unit = "ns",
                             .least = 0,
                             .most = kMost})
          .Add<&T::highest_bytes>({.name = "highest_bytes",
                                   .doc = "of each part the highest",
                                   .unit = "bytes",
                                   .least = 0,
                                   .most = kMost,
                                   .most_items = kMostParts})
          .Add<&T::last_bytes>({.name = "last_bytes",
                                .doc = "of each part the last",
                                .unit = "bytes",
                                .least = 0,
                                .most = kMost,
                                .most_items = kMostParts});
  return fields;
}

template <>
const Fields<snoop_file::ErrorCount>& FieldsOf() {
  using T = snoop_file::ErrorCount;
  static const Fields<T> fields =
      Fields<T>("ErrorCount", "how often a call returned an error", Use::kReport)
          .Add<&T::status>({.name = "status", .doc = "the number that it returned"})
          .Add<&T::count>({.name = "count", .doc = "how often", .least = 0, .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::Failure>& FieldsOf() {
  using T = snoop_file::Failure;
  static const Fields<T> fields =
      Fields<T>("SnoopFailure", "allocations that failed", Use::kReport)
          .Add<&T::call>({.name = "call", .doc = "which"})
          .Add<&T::count>({.name = "count", .doc = "how often", .least = 0, .most = kMost})
          .Add<&T::asked_bytes>({.name = "asked_bytes",
                                 .doc = "that were asked for",
                                 .unit = "bytes",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::errors>({.name = "errors", .doc = "by the error", .most_items = kMostSentences})
          .Add<&T::inside_a_level_above>(
              {.name = "inside_a_level_above", .doc = "made by a call of a level above"})
          .Add<&T::stack>({.name = "stack", .doc = "outermost first", .most_items = kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::Use>& FieldsOf() {
  using T = snoop_file::Use;
  static const Fields<T> fields =
      Fields<T>("SnoopUse", "launches, waits or copies of a stack", Use::kReport)
          .Add<&T::level>({.name = "level", .doc = "who is called"})
          .Add<&T::kind>({.name = "kind", .doc = "launch, wait, copy or allocate"})
          .Add<&T::call>({.name = "call", .doc = "its name"})
          .Add<&T::function>({.name = "function",
                              .doc = "that was launched; null: not known",
                              .is_null_when_empty = true})
          .Add<&T::count>({.name = "count", .doc = "how often", .least = 0, .most = kMost})
          .Add<&T::bytes>(
              {.name = "bytes",
               .doc = "of copies, and of allocations that are seen at their entry alone",
               .unit = "bytes",
               .least = 0,
               .most = kMost})
          .Add<&T::time_ns>(
              {.name = "time_ns", .doc = "of waits", .unit = "ns", .least = 0, .most = kMost})
          .Add<&T::inside_a_level_above>(
              {.name = "inside_a_level_above", .doc = "made by a call of a level above"})
          .Add<&T::stack>({.name = "stack", .doc = "outermost first", .most_items = kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::Rate>& FieldsOf() {
  using T = snoop_file::Rate;
  static const Fields<T> fields =
      Fields<T>("SnoopRate", "calls that began in about a second", Use::kReport)
          .Add<&T::begin_ns>({.name = "begin_ns",
                              .doc = "since the window began",
                              .unit = "ns",
                              .least = 0,
                              .most = kMost})
          .Add<&T::end_ns>({.name = "end_ns",
                            .doc = "since the window began",
                            .unit = "ns",
                            .least = 0,
                            .most = kMost})
          .Add<&T::level>({.name = "level", .doc = "who is called"})
          .Add<&T::kind>({.name = "kind", .doc = "allocate, free, launch, wait or copy"})
          .Add<&T::calls>({.name = "calls", .doc = "", .least = 0, .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::SnoopWindow>& FieldsOf() {
  using T = snoop_file::SnoopWindow;
  static const Fields<T> fields =
      Fields<T>("SnoopWindow", "a window of snoop", Use::kReport)
          .Extends<snoop_file::Window>()
          .Add<&T::libraries>(
              {.name = "libraries", .doc = "that have the calls", .most_items = kMostSentences})
          .Add<&T::late_libraries>(
              {.name = "late_libraries",
               .doc = "with such calls, which the process loaded in the window: not looked at",
               .most_items = kMostSentences})
          .Add<&T::probes>({.name = "probes", .doc = "what looking took"})
          .Add<&T::calls>({.name = "calls", .doc = "by function", .most_items = kMostRows})
          .Add<&T::memory>({.name = "memory", .doc = "by level and kind", .most_items = kMostRows})
          .Add<&T::never_freed>({.name = "never_freed",
                                 .doc = "by stack, the largest first",
                                 .most_items = kMostRows})
          .Add<&T::failures>({.name = "failures", .doc = "by stack", .most_items = kMostRows})
          .Add<&T::timelines>(
              {.name = "timelines", .doc = "by level and kind", .most_items = kMostRows})
          .Add<&T::uses>({.name = "uses",
                          .doc = "launches, waits and copies by stack, the most frequent first",
                          .most_items = kMostRows})
          .Add<&T::rates>({.name = "rates", .doc = "by level and kind", .most_items = kMostRows});
  return fields;
}

template <>
const Fields<snoop_file::OffCpuProbes>& FieldsOf() {
  using T = snoop_file::OffCpuProbes;
  static const Fields<T> fields =
      Fields<T>("OffCpuProbes", "what looking took, and what of it was lost", Use::kReport)
          .Add<&T::switches>(
              {.name = "switches", .doc = "away from a core", .least = 0, .most = kMost})
          .Add<&T::time_ns>({.name = "time_ns",
                             .doc = "inside the probes, over all cores",
                             .unit = "ns",
                             .least = 0,
                             .most = kMost})
          .Add<&T::lost_stacks>({.name = "lost_stacks",
                                 .doc = "stacks that found no room",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::lost_sums>(
              {.name = "lost_sums", .doc = "waits that found no room", .least = 0, .most = kMost})
          .Add<&T::unseen_switches>({.name = "unseen_switches",
                                     .doc = "to a core: the time behind them is runnable_ns",
                                     .least = 0,
                                     .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::ThreadTime>& FieldsOf() {
  using T = snoop_file::ThreadTime;
  static const Fields<T> fields =
      Fields<T>("ThreadTime", "where the time of a thread went; all of it sums to lived_ns",
                Use::kReport)
          .Add<&T::thread>(
              {.name = "thread", .doc = "as the process numbers it", .least = 0, .most = kMost})
          .Add<&T::name>(
              {.name = "name", .doc = "as the kernel has it", .is_null_when_empty = true})
          .Add<&T::lived_ns>(
              {.name = "lived_ns", .doc = "in the window", .unit = "ns", .least = 0, .most = kMost})
          .Add<&T::on_cpu_ns>(
              {.name = "on_cpu_ns", .doc = "on a core", .unit = "ns", .least = 0, .most = kMost})
          .Add<&T::sleeping_ns>({.name = "sleeping_ns",
                                 .doc = "waiting for something that may come at any time",
                                 .unit = "ns",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::disk_ns>({.name = "disk_ns",
                             .doc = "waiting for a disk or its like",
                             .unit = "ns",
                             .least = 0,
                             .most = kMost})
          .Add<&T::runnable_ns>({.name = "runnable_ns",
                                 .doc = "ready, without a core",
                                 .unit = "ns",
                                 .least = 0,
                                 .most = kMost})
          .Add<&T::other_ns>(
              {.name = "other_ns", .doc = "stopped", .unit = "ns", .least = 0, .most = kMost});
  return fields;
}

template <>
const Fields<snoop_file::Wait>& FieldsOf() {
  using T = snoop_file::Wait;
  static const Fields<T> fields =
      Fields<T>("SnoopWait", "waits of a stack for one thing", Use::kReport)
          .Add<&T::reason>({.name = "reason", .doc = "sleeping, disk, runnable or other"})
          .Add<&T::what>({.name = "for", .doc = "a lock (futex), the device, ..."})
          .Add<&T::count>({.name = "count", .doc = "how often", .least = 0, .most = kMost})
          .Add<&T::total_ns>(
              {.name = "total_ns", .doc = "in all", .unit = "ns", .least = 0, .most = kMost})
          .Add<&T::longest_ns>(
              {.name = "longest_ns", .doc = "of one", .unit = "ns", .least = 0, .most = kMost})
          .Add<&T::threads>({.name = "threads", .doc = "that waited so", .least = 0, .most = kMost})
          .Add<&T::stack>({.name = "stack", .doc = "outermost first", .most_items = kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::OffCpuWindow>& FieldsOf() {
  using T = snoop_file::OffCpuWindow;
  static const Fields<T> fields =
      Fields<T>("OffCpuWindow", "a window of offcpu", Use::kReport)
          .Extends<snoop_file::Window>()
          .Add<&T::probes>({.name = "probes", .doc = "what looking took"})
          .Add<&T::threads>(
              {.name = "threads", .doc = "the longest on a core first", .most_items = kMostRows})
          .Add<&T::waits>({.name = "waits", .doc = "the longest first", .most_items = kMostRows});
  return fields;
}

}  // namespace rankscope::json
