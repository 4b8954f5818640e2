#include "api/timeline.h"

#include "json/fields.h"

namespace rankscope::json {

using api::TimelineHit;
using api::TimelineHits;

namespace {

constexpr std::size_t kMostEventName = 100'000;

}  // namespace

template <>
const Fields<TimelineHit>& FieldsOf() {
  using T = TimelineHit;
  static const Fields<T> fields =
      Fields<T>("TimelineHit", "an event of the timeline", Use::kReport)
          .Add<&T::rank>({.name = "rank", .doc = "rank that it is of"})
          .Add<&T::start_ns>(
              {.name = "start_ns", .doc = "begin, from the job's origin", .unit = "ns"})
          .Add<&T::duration_ns>({.name = "duration_ns", .doc = "duration", .unit = "ns"})
          .Add<&T::event>({.name = "event", .doc = "index in its file, as in SQL"})
          .Add<&T::kind>({.name = "kind", .doc = "one of the timeline's kinds"})
          .Add<&T::track>({.name = "track",
                           .doc = "name of its thread or stream",
                           .most_bytes = kMostEventName})
          .Add<&T::name>(
              {.name = "name", .doc = "name of the event", .most_bytes = kMostEventName});
  return fields;
}

template <>
const Fields<TimelineHits>& FieldsOf() {
  using T = TimelineHits;
  static const Fields<T> fields =
      Fields<T>("TimelineHits", "events that were looked for", Use::kReport)
          .Add<&T::complete>({.name = "complete", .doc = "false: there may be more"})
          .Add<&T::hits>({.name = "hits", .doc = "the events found", .most_items = 1000});
  return fields;
}

}  // namespace rankscope::json
