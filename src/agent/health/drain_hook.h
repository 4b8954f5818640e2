// The operator's command that takes this host out of service when one of its devices fails.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/now.h"
#include "agent/health/device_watch.h"
#include "base/process.h"

namespace rankscope::agent {

struct DrainOptions {
  std::vector<std::string> command;  // a program and its arguments, no shell; empty: off
  bool when_degraded = false;        // else only when a device has failed
  std::int64_t after_s = 60;         // it has to stay so for so long
  std::int64_t limit_s = 60;         // the command is ended then
};

enum class Drain : std::uint8_t {
  kOff,      // no command
  kReady,    // no device is troubled
  kWaiting,  // one is, not yet for long enough
  kRunning,  // the command runs
  kDrained,  // it ended with 0
  kRefused,  // it did not: tried again later, kMostTries times
};
std::string_view ToString(Drain drain);  // "off", "ready", ...

struct DrainState {
  Drain drain = Drain::kOff;
  std::string reason;              // "device 3 (GPU-...) failed: ..."; of what is going on
  std::int64_t since_unix_ms = 0;  // 0: kOff and kReady
};

// The command runs once for all devices in trouble, and again only after all devices were well for
// as long (kReady). Beside the agent's own environment it gets RANKSCOPE_HOST, RANKSCOPE_DEVICE
// (its number), RANKSCOPE_DEVICE_UUID, RANKSCOPE_VERDICT and RANKSCOPE_REASON of the device that
// has been in trouble the longest. Nothing puts the host back into service.
class DrainHook {
 public:
  static constexpr int kMostTries = 3;
  static constexpr std::int64_t kBetweenTriesMs = 300'000;

  // `said` gets messages for a log.
  DrainHook(DrainOptions options, std::string host, std::function<void(std::string_view)> said)
      : options_(std::move(options)), host_(std::move(host)), said_(std::move(said)) {}

  // Now and then, on one thread; does not wait for the command.
  void Look(const std::vector<TroubledDevice>& troubled, Now now);
  DrainState State() const;  // from any thread

 private:
  void Begin(const TroubledDevice& device, Now now);
  void SeeEnd(Now now);
  void Become(Drain drain, std::string reason, Now now);

  const DrainOptions options_;
  const std::string host_;
  const std::function<void(std::string_view)> said_;
  std::optional<rankscope::Process> running_;
  std::int64_t began_ms_ = 0;  // the last try
  int tries_ = 0;
  std::optional<std::int64_t> well_since_ms_;
  mutable std::mutex mutex_;
  DrainState state_;
};

}  // namespace rankscope::agent
