#include "agent/health/drain_hook.h"

#include <fmt/core.h>

#include <utility>

namespace rankscope::agent {

std::string_view ToString(Drain drain) {
  switch (drain) {
    case Drain::kOff:
      return "off";
    case Drain::kReady:
      return "ready";
    case Drain::kWaiting:
      return "waiting";
    case Drain::kRunning:
      return "running";
    case Drain::kDrained:
      return "drained";
    case Drain::kRefused:
      return "refused";
  }
  return "off";
}

void DrainHook::Look(const std::vector<TroubledDevice>& troubled, Now now) {
  if (options_.command.empty()) return;
  if (running_) {
    SeeEnd(now);
    return;
  }
  const TroubledDevice* worst = nullptr;
  for (const TroubledDevice& device : troubled) {
    if (device.verdict != device::Verdict::kFailed && !options_.when_degraded) continue;
    if (worst == nullptr || device.since_ms < worst->since_ms) worst = &device;
  }
  const Drain drain = State().drain;
  if (worst == nullptr) {
    // What is well for a moment alone is not well.
    if (!well_since_ms_) well_since_ms_ = now.steady_ms;
    const bool was_begun = drain == Drain::kDrained || drain == Drain::kRefused;
    if (was_begun && now.steady_ms - *well_since_ms_ < 1000 * options_.after_s) return;
    if (was_begun)
      said_("drain: all devices are well again; the host is put back into service by hand");
    tries_ = 0;
    if (drain != Drain::kReady) Become(Drain::kReady, "", now);
    return;
  }
  well_since_ms_.reset();
  if (drain == Drain::kDrained) return;
  if (drain == Drain::kRefused) {
    if (tries_ < kMostTries && now.steady_ms - began_ms_ >= kBetweenTriesMs) Begin(*worst, now);
    return;
  }
  if (now.steady_ms - worst->since_ms >= 1000 * options_.after_s) {
    Begin(*worst, now);
  } else if (drain != Drain::kWaiting) {
    Become(Drain::kWaiting, ReasonOf(*worst), now);
  }
}

DrainState DrainHook::State() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

void DrainHook::Begin(const TroubledDevice& device, Now now) {
  const std::string reason = ReasonOf(device);
  began_ms_ = now.steady_ms;
  ++tries_;
  Result<rankscope::Process> started = rankscope::Process::Start(
      {.words = options_.command,
       .environment = {{"RANKSCOPE_HOST", host_},
                       {"RANKSCOPE_DEVICE", std::to_string(device.index)},
                       {"RANKSCOPE_DEVICE_UUID", device.uuid},
                       {"RANKSCOPE_VERDICT", std::string(ToString(device.verdict))},
                       {"RANKSCOPE_REASON", reason}},
       .folder = "/",
       .log = "",
       .has_own_session = true});
  if (!started.ok()) {
    said_(fmt::format("drain: {}; {}", reason, started.status().message()));
    Become(Drain::kRefused, reason, now);
    return;
  }
  said_(fmt::format("drain: {}; runs {}", reason, options_.command.front()));
  running_ = std::move(*started);
  Become(Drain::kRunning, reason, now);
}

void DrainHook::SeeEnd(Now now) {
  const std::string reason = State().reason;
  const bool has_ended = running_->HasEnded();
  if (!has_ended && now.steady_ms - began_ms_ < 1000 * options_.limit_s) return;
  const int code = has_ended ? running_->exit_code() : 0;
  running_.reset();
  if (has_ended && code == 0) {
    said_(
        fmt::format("drain: {} ended well: the host is out of service", options_.command.front()));
    Become(Drain::kDrained, reason, now);
    return;
  }
  const std::string again = tries_ < kMostTries
                                ? fmt::format("again in {} s", kBetweenTriesMs / 1000)
                                : fmt::format("not again: {} tries", tries_);
  said_(has_ended
            ? fmt::format("drain: {} ended with {}; {}", options_.command.front(), code, again)
            : fmt::format("drain: {} took longer than {} s and was ended; {}",
                          options_.command.front(), options_.limit_s, again));
  Become(Drain::kRefused, reason, now);
}

void DrainHook::Become(Drain drain, std::string reason, Now now) {
  const std::scoped_lock lock(mutex_);
  state_ = {.drain = drain,
            .reason = std::move(reason),
            .since_unix_ms = drain == Drain::kReady ? 0 : now.unix_ms()};
}

}  // namespace rankscope::agent
