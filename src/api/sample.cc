#include "api/sample.h"

#include "json/fields.h"

namespace rankscope::json {

using api::Sample;
using api::SampleList;
using api::SamplesTaken;

namespace {

constexpr std::size_t kMostSamples = 10'000'000;

}  // namespace

template <>
const Fields<Sample>& FieldsOf() {
  using T = Sample;
  static const Fields<T> fields =
      Fields<T>("Sample", "a number at a time", Use::kReport)
          .Add<&T::time>({.name = "time",
                          .doc = "nanoseconds since 1970, UTC, or, where it is sent, ISO 8601"})
          .Add<&T::name>({.name = "name", .doc = "such as loss"})
          .Add<&T::value>({.name = "value", .doc = "value of the number"})
          .Add<&T::step>({.name = "step", .doc = "step of the job", .is_left_out = true})
          .Add<&T::rank>({.name = "rank", .doc = "rank that told it", .is_left_out = true})
          .Add<&T::host>({.name = "host", .doc = "host that told it", .is_left_out = true})
          .Add<&T::unit>({.name = "unit", .doc = "unit of the value", .is_left_out = true});
  return fields;
}

template <>
const Fields<SampleList>& FieldsOf() {
  using T = SampleList;
  static const Fields<T> fields =
      Fields<T>("SampleList", "numbers by time", Use::kReport)
          .Add<&T::metrics>(
              {.name = "metrics", .doc = "the samples, by time", .most_items = kMostSamples});
  return fields;
}

template <>
const Fields<SamplesTaken>& FieldsOf() {
  using T = SamplesTaken;
  static const Fields<T> fields = Fields<T>("SamplesTaken", "samples that were taken", Use::kReport)
                                      .Add<&T::taken>({.name = "taken", .doc = "how many"});
  return fields;
}

}  // namespace rankscope::json
