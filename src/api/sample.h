// Metrics reported by a job, such as its loss, and those of its hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct Sample {
  std::string time;
  std::string name;
  double value = 0;
  std::optional<std::int64_t> step, rank;
  std::optional<std::string> host, unit;
};
struct SampleList {
  std::vector<Sample> metrics;
};
struct SamplesTaken {
  std::uint64_t taken = 0;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::Sample>& FieldsOf();
template <>
const Fields<api::SampleList>& FieldsOf();
template <>
const Fields<api::SamplesTaken>& FieldsOf();

}  // namespace rankscope::json
