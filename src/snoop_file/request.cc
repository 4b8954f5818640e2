#include "snoop_file/request.h"

#include <array>

#include "json/fields.h"

namespace rankscope::json {

template <>
const Fields<snoop_file::WindowRequest>& FieldsOf() {
  using T = snoop_file::WindowRequest;
  static constexpr std::array<std::string_view, 2> kWhat = {"snoop", "offcpu"};
  static const Fields<T> fields =
      Fields<T>("WindowRequest", "a window of a process that runs on this host", Use::kRequest)
          .Add<&T::what>({.name = "what", .doc = "snoop or offcpu", .words = kWhat})
          .Add<&T::pid>({.name = "pid",
                         .doc = "the process, by its number on this host",
                         .least = 1,
                         .most = 1 << 22,
                         .is_required = true})
          .Add<&T::milliseconds>({.name = "milliseconds",
                                  .doc = "how long the window is",
                                  .unit = "ms",
                                  .least = 100,
                                  .most = snoop_file::kMostWindowMs})
          .Add<&T::memory>({.name = "memory", .doc = "look at allocations and frees"})
          .Add<&T::launches>({.name = "launches", .doc = "look at launches, waits and copies"})
          .Add<&T::stacks>({.name = "stacks", .doc = "take stacks"})
          .Add<&T::max_events_per_second>({.name = "max_events_per_second",
                                           .doc = "more within a second end the window",
                                           .least = 1,
                                           .most = 100'000})
          .Add<&T::max_overhead_percent>(
              {.name = "max_overhead_percent",
               .doc = "of a core inside the probes: more ends the window",
               .least = 1,
               .most = 20});
  return fields;
}

template <>
const Fields<snoop_file::WindowRefusal>& FieldsOf() {
  using T = snoop_file::WindowRefusal;
  static const Fields<T> fields =
      Fields<T>("WindowRefusal", "why there is no window", Use::kReport)
          .Add<&T::error>({.name = "error", .doc = "a sentence", .most_bytes = 2000});
  return fields;
}

}  // namespace rankscope::json
