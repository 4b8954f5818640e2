#include "serving/inputs/request_line.h"

#include "serving/base/words.h"

namespace rankscope::json {
namespace {

using serving::RecorderHeader;
using serving::RequestLine;
using serving::SampleLine;

constexpr std::int64_t kMostCount = 1'000'000'000'000;

Field Moment(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .unit = "ns", .least = 0, .most = serving::kMostMoment};
}
Field Duration(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .unit = "ns", .least = 0, .most = serving::kMostDuration};
}
Field Number(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .least = 0, .most = kMostCount};
}

}  // namespace

template <>
const Fields<RecorderHeader>& FieldsOf() {
  using T = RecorderHeader;
  static const Fields<T> fields =
      Fields<T>("RecorderHeader", "the first line: who wrote it, by which clocks", Use::kReport)
          .Add<&T::format>(Number("rankscope_requests", "the format, 1"))
          .Add<&T::unit>({.name = "unit", .doc = "of all moments and times: ns"})
          .Add<&T::clock>({.name = "clock", .doc = "of all moments: CLOCK_MONOTONIC"})
          .Add<&T::monotonic>(Moment("monotonic", "a moment by that clock"))
          .Add<&T::wall_clock>({.name = "wall_clock", .doc = "of wall: CLOCK_REALTIME"})
          .Add<&T::wall>(Moment("wall", "the same moment since 1970"))
          .Add<&T::host>({.name = "host", .doc = "where the service runs"})
          .Add<&T::pid>(Number("pid", "its process"))
          .Add<&T::service>({.name = "service", .doc = "its name"})
          .Add<&T::version>({.name = "version", .doc = "of the service"})
          .Add<&T::recorder>({.name = "recorder", .doc = "what wrote it, and its version"})
          .Add<&T::dropped>(Number("dropped", "requests that were lost before this file"));
  return fields;
}

template <>
const Fields<RequestLine>& FieldsOf() {
  using T = RequestLine;
  static const Fields<T> fields =
      Fields<T>("RequestLine", "a request that is over", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "as the service names it, or a number"})
          .Add<&T::method>({.name = "method", .doc = "that was called"})
          .Add<&T::arrival>(Moment("arrival", "the server had it"))
          .Add<&T::seen>(Moment("seen", "the recorder first saw it, where its arrival is unknown"))
          .Add<&T::dequeue>(Moment("dequeue", "a worker took it"))
          .Add<&T::begin>(Moment("begin", "its arguments are read: the handler begins"))
          .Add<&T::end>(Moment("end", "the handler has returned"))
          .Add<&T::sent>(Moment("sent", "the last byte of the answer was handed to the kernel"))
          .Add<&T::lock_wait>(Duration("lock_wait", "waiting for locks, within the handler"))
          .Add<&T::lock_held>(Duration("lock_held", "holding them"))
          .Add<&T::lock>({.name = "lock", .doc = "the one that was waited for the longest"})
          .Add<&T::batch>(Number("batch", "requests that were served at once have it in common"))
          .Add<&T::batch_size>(Number("batch_size", "how many these are"))
          .Add<&T::status>({.name = "status", .doc = "done, failed or cancelled"})
          .Add<&T::code>({.name = "code", .doc = "of a failure: gRPC's, HTTP's, the service's own"})
          .Add<&T::thread>(Number("thread", "whose handler it was, as the kernel numbers it"))
          .Add<&T::connection>(Number("connection", "over which it came"));
  return fields;
}

template <>
const Fields<SampleLine>& FieldsOf() {
  using T = SampleLine;
  static const Fields<T> fields =
      Fields<T>("SampleLine", "how many requests are where, at a moment", Use::kReport)
          .Add<&T::sample>(Moment("sample", "the moment"))
          .Add<&T::queued>(Number("queued", "wait for a worker; missing where that is seen late"))
          .Add<&T::running>(Number("running", "are with a worker"))
          .Add<&T::sending>(Number("sending", "are being answered"))
          .Add<&T::dropped>(Number("dropped", "were lost since the process began"));
  return fields;
}

}  // namespace rankscope::json
