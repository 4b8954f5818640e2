// Answers about the timeline of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct TimelineHit {
  std::int64_t rank = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t event = 0;
  std::string kind, track, name;
};
struct TimelineHits {
  bool complete = true;
  std::vector<TimelineHit> hits;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::TimelineHit>& FieldsOf();
template <>
const Fields<api::TimelineHits>& FieldsOf();

}  // namespace rankscope::json
