#include "api/several_runs.h"

#include "json/fields.h"

namespace rankscope::json {

using api::PathsOfRun;
using api::SeveralRuns;

namespace {

constexpr std::size_t kMostPathBytes = 4096;
constexpr std::size_t kMostPathsOfRun = 100'000;
constexpr std::size_t kMostRunsTold = 10'000;

}  // namespace

template <>
const Fields<PathsOfRun>& FieldsOf() {
  using T = PathsOfRun;
  static const Fields<T> fields = Fields<T>("PathsOfRun", "one of several runs", Use::kReport)
                                      .Add<&T::paths>({.name = "paths",
                                                       .doc = "its folder, or its files",
                                                       .most_bytes = kMostPathBytes,
                                                       .most_items = kMostPathsOfRun});
  return fields;
}

template <>
const Fields<SeveralRuns>& FieldsOf() {
  using T = SeveralRuns;
  static const Fields<T> fields =
      Fields<T>("SeveralRuns", "runs whose recordings make no job together", Use::kReport)
          .Add<&T::runs>({.name = "runs", .doc = "two or more", .most_items = kMostRunsTold});
  return fields;
}

}  // namespace rankscope::json
