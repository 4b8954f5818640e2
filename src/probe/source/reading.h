// Where samples come from: files and libraries of this machine, a recording, or a test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/check/spec.h"

namespace rankscope::probe {

// Nanoseconds of a monotonic clock.
using Clock = std::function<std::int64_t()>;
std::int64_t MonotonicNow();

struct Instance {
  std::string name;  // "accel0"
  std::int64_t index = 0;
  std::string folder;  // "/sys/class/accel/accel0"; "": there is none
};

enum class ReadFault : std::uint8_t {
  kNone,
  kMissing,       // no such file, function or library
  kGone,          // the device went away
  kBusy,          // no answer right now: EAGAIN, EBUSY, ENODATA, EIO
  kRefused,       // no permission, or not below /sys and /proc
  kUnreadable,    // not a number of the declared type
  kNotAvailable,  // a value that means "not available" (na=)
  kStatus,        // the function returned an error
  kStuck,         // the function does not return
  kCrashed,       // the library's process ended
  kCorrupt,       // the function wrote beyond its buffer
};
inline constexpr std::size_t kReadFaults = 11;
std::string_view ToString(ReadFault fault);  // "missing"

struct Reading {
  Value value;  // absent with every fault
  ReadFault fault = ReadFault::kNone;
  std::string why;  // "/sys/class/accel/accel0/power: Input/output error"
};

class SourceReader {
 public:
  virtual ~SourceReader() = default;
  // Folders that match an instance pattern, in natural order.
  virtual std::vector<std::string> Folders(const std::string& pattern) = 0;
  // Reads one source, a file or a call. `arguments` are those of a call; none of them is absent.
  virtual Reading Read(const DeviceSpec& device, int source, const Instance& instance,
                       std::span<const Value> arguments) = 0;
  // The instance is gone: closes what was kept open for it.
  virtual void Forget(const Instance&) {}
};

}  // namespace rankscope::probe
