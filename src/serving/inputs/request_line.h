// The lines that rankscope's recorders of services write (recorder/, python/rankscope_requests;
// docs/record-requests.md). One JSON object a line: a header first, then requests in the order in
// which they ended, and samples of the number of requests in each place. Moments are ns of the
// header's clock. Missing values are unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "json/fields.h"

namespace rankscope::serving {

struct RecorderHeader {
  std::int64_t format = 0;  // 1
  std::string unit;         // "ns"
  std::string clock, wall_clock;
  std::optional<std::int64_t> monotonic, wall;  // one moment by both clocks
  std::string host, service, version, recorder;
  std::int64_t pid = 0;
  std::int64_t dropped = 0;
};

struct RequestLine {
  std::string id, method;
  std::optional<std::int64_t> arrival, seen, dequeue, begin, end, sent;
  std::optional<std::int64_t> lock_wait, lock_held;
  std::string lock;
  std::optional<std::int64_t> batch, batch_size;
  std::string status;
  std::int64_t code = 0, thread = 0, connection = 0;
};

struct SampleLine {
  std::optional<std::int64_t> sample;
  std::optional<std::int64_t> queued, running, sending;
  std::int64_t dropped = 0;
};

}  // namespace rankscope::serving

namespace rankscope::json {

template <>
const Fields<serving::RecorderHeader>& FieldsOf();
template <>
const Fields<serving::RequestLine>& FieldsOf();
template <>
const Fields<serving::SampleLine>& FieldsOf();

}  // namespace rankscope::json
