#include "api/host_load.h"

#include "json/fields.h"

namespace rankscope::json {

using api::DeviceLoad;
using api::HostLoad;

namespace {

constexpr std::size_t kHostLoadMostText = 1000;
constexpr std::size_t kMostDevices = 4096;

}  // namespace

template <>
const Fields<DeviceLoad>& FieldsOf() {
  using T = DeviceLoad;
  static const Fields<T> fields =
      Fields<T>("DeviceLoad", "a device as its agent sees it", Use::kReport)
          .Add<&T::index>({.name = "index", .doc = "index of the device on its host"})
          .Add<&T::uuid>(
              {.name = "uuid", .doc = "UUID of the device", .most_bytes = kHostLoadMostText})
          .Add<&T::verdict>({.name = "verdict", .doc = "ok, degraded or failed"})
          .Add<&T::reasons>(
              {.name = "reasons", .doc = "of the verdict", .most_bytes = kHostLoadMostText})
          .Add<&T::busy>({.name = "busy", .doc = "a share of the time"})
          .Add<&T::memory_used>({.name = "memory_used", .doc = "a share"});
  return fields;
}

template <>
const Fields<HostLoad>& FieldsOf() {
  using T = HostLoad;
  static const Fields<T> fields =
      Fields<T>("HostLoad", "whether a host can take work, and how busy it is", Use::kReport)
          .Add<&T::host>(
              {.name = "host", .doc = "name of the host", .most_bytes = kHostLoadMostText})
          .Add<&T::status>({.name = "status", .doc = "ok, degraded, failed or unknown"})
          .Add<&T::accepts_work>(
              {.name = "accepts_work",
               .doc = "no device has failed, the drivers answer, nobody drains the host"})
          .Add<&T::reasons>(
              {.name = "reasons", .doc = "of the status", .most_bytes = kHostLoadMostText})
          .Add<&T::busy>({.name = "busy", .doc = "the mean over the devices that tell it"})
          .Add<&T::memory_used>({.name = "memory_used", .doc = "the largest share of a device"})
          .Add<&T::read_ms_ago>({.name = "read_ms_ago",
                                 .doc = "age of the last reading of the devices",
                                 .unit = "ms"})
          .Add<&T::drain>(
              {.name = "drain", .doc = "off, ready, waiting, running, drained or refused"})
          .Add<&T::devices>(
              {.name = "devices", .doc = "devices of the host", .most_items = kMostDevices});
  return fields;
}

}  // namespace rankscope::json
