// Who held which share of a node's devices, and when: the input for attributing GPU hours.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::fleet {

// Shares of a device are multiples of this unit, which divides sevenths (MIG) and hundredths (MPS).
inline constexpr std::int64_t kDeviceUnits = 700;

enum class Outcome : std::uint8_t {
  kCompleted,
  kFailed,
  kCancelled,
  kRunning,
  kPreempted,
  kRequeued,
  kOther
};
std::string_view OutcomeName(Outcome outcome);

struct Claim {
  std::string node;
  std::int64_t from_ms = 0;  // since 1970, UTC
  std::int64_t until_ms = 0;
  std::int64_t units = 0;  // kDeviceUnits per whole device
  Outcome outcome = Outcome::kOther;
  // "job", "name", "user", "account", "partition", "qos", "namespace", "label:KEY", and the results
  // of rules: "team", "product", "model".
  std::map<std::string, std::string, std::less<>> owner;
};

// A node, or some of its devices, during a time in which nobody can use them.
struct Absence {
  std::string node;
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;
  bool is_reserved = false;  // for a user who has not started; otherwise down or drained
};

struct Capacity {
  std::string node;
  std::int64_t devices = 0;
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;
};

}  // namespace rankscope::fleet
