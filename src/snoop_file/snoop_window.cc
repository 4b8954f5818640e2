#include "snoop_file/fields.h"
#include "snoop_file/window.h"

namespace rankscope::json {

template <>
const Fields<snoop_file::Probes>& FieldsOf() {
  using T = snoop_file::Probes;
  static const Fields<T> fields =
      Fields<T>("SnoopProbes", "what looking took, and what of it was lost", Use::kReport)
          .Add<&T::hits>(snoop_file::Count("hits", "of probes"))
          .Add<&T::time_ns>(snoop_file::Count(
              "time_ns", "inside the probes, over all cores; the traps to them are not in it",
              "ns"))
          .Add<&T::lost_events>(
              snoop_file::Count("lost_events", "allocations and frees that found no room"))
          .Add<&T::lost_stacks>(snoop_file::Count("lost_stacks", "stacks that found no room"))
          .Add<&T::lost_sums>(snoop_file::Count(
              "lost_sums", "launches, waits and copies that found no room by stack"))
          .Add<&T::abandoned_calls>(
              snoop_file::Count("abandoned_calls", "calls that were never seen to return"))
          .Add<&T::nested_calls>(snoop_file::Count(
              "nested_calls", "calls inside another one of their level, counted once with it"))
          .Add<&T::stacks>(snoop_file::Count("stacks", "that were seen"))
          .Add<&T::stacks_cut>(
              snoop_file::Count("stacks_cut", "whose outermost frames are missing"))
          .Add<&T::python_frames_without_names>(snoop_file::Count(
              "python_frames_without_names", "whose code was gone when its name was read"))
          .Add<&T::stacks_without_python>(
              snoop_file::Count("stacks_without_python", "whose Python frames could not be read"));
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
          .Add<&T::calls>(snoop_file::Count("calls", "that began in the window"))
          .Add<&T::failed>(snoop_file::Count(
              "failed", "that returned another value than 0; null: returns are not looked at"))
          .Add<&T::unfinished>(
              snoop_file::Count("unfinished", "that had not returned when the window ended"))
          .Add<&T::bytes>(
              snoop_file::Count("bytes", "of allocations and copies that succeeded", "bytes"))
          .Add<&T::time_ns>(
              snoop_file::Count("time_ns", "of waits, from the call to its return", "ns"));
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
          .Add<&T::allocations>(snoop_file::Count("allocations", "that succeeded"))
          .Add<&T::allocated_bytes>(
              snoop_file::Count("allocated_bytes", "by what was asked for", "bytes"))
          .Add<&T::frees>(snoop_file::Count("frees", "of what was allocated in the window"))
          .Add<&T::freed_bytes>(snoop_file::Count("freed_bytes", "of these", "bytes"))
          .Add<&T::frees_of_earlier>(
              snoop_file::Count("frees_of_earlier", "of what was allocated before it"))
          .Add<&T::replaced>(snoop_file::Count(
              "replaced", "whose address was given out again without a free that was seen"))
          .Add<&T::replaced_bytes>(snoop_file::Count("replaced_bytes", "of these", "bytes"))
          .Add<&T::live>(
              snoop_file::Count("live", "allocations of the window that live at its end"))
          .Add<&T::live_bytes>(snoop_file::Count("live_bytes", "of these", "bytes"))
          .Add<&T::peak_bytes>(
              snoop_file::Count("peak_bytes", "the most that lived at a time", "bytes"));
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
          .Add<&T::count>(snoop_file::Count("count", "allocations that live"))
          .Add<&T::bytes>(snoop_file::Count("bytes", "of these", "bytes"))
          .Add<&T::allocations_of_the_stack>(snoop_file::Count(
              "allocations_of_the_stack", "all of the stack, freed ones among them"))
          .Add<&T::oldest_ns>(
              snoop_file::Count("oldest_ns", "age of the oldest at the end of the window", "ns"))
          .Add<&T::youngest_ns>(snoop_file::Count("youngest_ns", "age of the youngest", "ns"))
          .Add<&T::in_all_quarters>(
              {.name = "in_all_quarters", .doc = "each quarter of the window added to it"})
          .Add<&T::inside_a_level_above>(
              {.name = "inside_a_level_above",
               .doc = "made by a call of a level above, which has it as well"})
          .Add<&T::stack>(
              {.name = "stack", .doc = "outermost first", .most_items = snoop_file::kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::Timeline>& FieldsOf() {
  using T = snoop_file::Timeline;
  static const Fields<T> fields =
      Fields<T>("SnoopTimeline", "live bytes of the window over time, in equal parts", Use::kReport)
          .Extends<snoop_file::Domain>()
          .Add<&T::part_ns>(snoop_file::Count("part_ns", "length of a part", "ns"))
          .Add<&T::highest_bytes>({.name = "highest_bytes",
                                   .doc = "of each part the highest",
                                   .unit = "bytes",
                                   .least = 0,
                                   .most = snoop_file::kMost,
                                   .most_items = snoop_file::kMostParts})
          .Add<&T::last_bytes>({.name = "last_bytes",
                                .doc = "of each part the last",
                                .unit = "bytes",
                                .least = 0,
                                .most = snoop_file::kMost,
                                .most_items = snoop_file::kMostParts});
  return fields;
}

template <>
const Fields<snoop_file::ErrorCount>& FieldsOf() {
  using T = snoop_file::ErrorCount;
  static const Fields<T> fields =
      Fields<T>("ErrorCount", "how often a call returned an error", Use::kReport)
          .Add<&T::status>({.name = "status", .doc = "the number that it returned"})
          .Add<&T::count>(snoop_file::Count("count", "how often"));
  return fields;
}

template <>
const Fields<snoop_file::Failure>& FieldsOf() {
  using T = snoop_file::Failure;
  static const Fields<T> fields =
      Fields<T>("SnoopFailure", "allocations that failed", Use::kReport)
          .Add<&T::call>({.name = "call", .doc = "which"})
          .Add<&T::count>(snoop_file::Count("count", "how often"))
          .Add<&T::asked_bytes>(snoop_file::Count("asked_bytes", "that were asked for", "bytes"))
          .Add<&T::errors>(
              {.name = "errors", .doc = "by the error", .most_items = snoop_file::kMostSentences})
          .Add<&T::inside_a_level_above>(
              {.name = "inside_a_level_above", .doc = "made by a call of a level above"})
          .Add<&T::stack>(
              {.name = "stack", .doc = "outermost first", .most_items = snoop_file::kMostFrames});
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
          .Add<&T::count>(snoop_file::Count("count", "how often"))
          .Add<&T::bytes>(snoop_file::Count(
              "bytes", "of copies, and of allocations that are seen at their entry alone", "bytes"))
          .Add<&T::time_ns>(snoop_file::Count("time_ns", "of waits", "ns"))
          .Add<&T::inside_a_level_above>(
              {.name = "inside_a_level_above", .doc = "made by a call of a level above"})
          .Add<&T::stack>(
              {.name = "stack", .doc = "outermost first", .most_items = snoop_file::kMostFrames});
  return fields;
}

template <>
const Fields<snoop_file::Rate>& FieldsOf() {
  using T = snoop_file::Rate;
  static const Fields<T> fields =
      Fields<T>("SnoopRate", "calls that began in about a second", Use::kReport)
          .Add<&T::begin_ns>(snoop_file::Count("begin_ns", "since the window began", "ns"))
          .Add<&T::end_ns>(snoop_file::Count("end_ns", "since the window began", "ns"))
          .Add<&T::level>({.name = "level", .doc = "who is called"})
          .Add<&T::kind>({.name = "kind", .doc = "allocate, free, launch, wait or copy"})
          .Add<&T::calls>(snoop_file::Count("calls", ""));
  return fields;
}

template <>
const Fields<snoop_file::SnoopWindow>& FieldsOf() {
  using T = snoop_file::SnoopWindow;
  static const Fields<T> fields =
      Fields<T>("SnoopWindow", "a window of snoop", Use::kReport)
          .Extends<snoop_file::Window>()
          .Add<&T::libraries>({.name = "libraries",
                               .doc = "that have the calls",
                               .most_items = snoop_file::kMostSentences})
          .Add<&T::late_libraries>(
              {.name = "late_libraries",
               .doc = "with such calls, which the process loaded in the window: not looked at",
               .most_items = snoop_file::kMostSentences})
          .Add<&T::probes>({.name = "probes", .doc = "what looking took"})
          .Add<&T::calls>(
              {.name = "calls", .doc = "by function", .most_items = snoop_file::kMostRows})
          .Add<&T::memory>(
              {.name = "memory", .doc = "by level and kind", .most_items = snoop_file::kMostRows})
          .Add<&T::never_freed>({.name = "never_freed",
                                 .doc = "by stack, the largest first",
                                 .most_items = snoop_file::kMostRows})
          .Add<&T::failures>(
              {.name = "failures", .doc = "by stack", .most_items = snoop_file::kMostRows})
          .Add<&T::timelines>({.name = "timelines",
                               .doc = "by level and kind",
                               .most_items = snoop_file::kMostRows})
          .Add<&T::uses>({.name = "uses",
                          .doc = "launches, waits and copies by stack, the most frequent first",
                          .most_items = snoop_file::kMostRows})
          .Add<&T::rates>(
              {.name = "rates", .doc = "by level and kind", .most_items = snoop_file::kMostRows});
  return fields;
}

}  // namespace rankscope::json
