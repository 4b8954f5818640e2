#include "agent/captures/cpu_profiles.h"

#include <charconv>
#include <cmath>

#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

using cpu_profile::ProcessSampler;
using cpu_profile::SamplingOptions;
using cpu_profile::SamplingState;

std::int64_t NumberIn(const std::string& config, std::string_view key) {
  const std::string text = wire::ValueIn(config, key).value_or("");
  std::int64_t value = 0;
  const bool is_number =
      std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  constexpr std::int64_t kMost = 1LL << 52;
  return is_number && value > 0 && value < kMost ? value : 0;
}

constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace

SamplingOptions SamplingOf(const std::string& config, pid_t pid, std::int64_t later_ms) {
  SamplingOptions options{.pid = pid};
  const std::int64_t asked_ms = NumberIn(config, "PROFILE_START_TIME");
  const std::int64_t start_ms = asked_ms + later_ms;
  // Without a time Kineto begins when it is ready.
  if (asked_ms == 0 || NumberIn(config, "ACTIVITIES_ITERATIONS") > 0) return options;
  options.begin_ns = start_ms * kNsPerMs;
  options.end_ns =
      options.begin_ns + std::min<std::int64_t>(NumberIn(config, "ACTIVITIES_DURATION_MSECS"),
                                                options.keep_ns / kNsPerMs) *
                             kNsPerMs;
  return options;
}

api::CpuSampling Reported(const SamplingState& state) {
  constexpr double kDigits = 1e4;
  return {.state = std::string(ToString(state.state)),
          .reason = state.reason,
          .samples = state.samples,
          .lost = state.lost,
          .missed = state.missed,
          .of_core = std::round(state.of_core * kDigits) / kDigits};
}

void CpuProfiles::Begin(const Capture& capture, const CaptureMember& member) {
  if (samplers_.size() >= kMostAtOnce) {
    captures_.SetCpu(capture.id, member.pid,
                     {.state = SamplingState::State::kOff,
                      .reason = fmt::format("{} processes are sampled already", kMostAtOnce)});
    return;
  }
  const auto sampler =
      std::make_shared<ProcessSampler>(SamplingOf(capture.config, member.pid, member.later_ms));
  captures_.SetCpu(capture.id, member.pid, sampler->State());
  samplers_.emplace(Key(capture.id, member.pid), Sampled{sampler});
}

void CpuProfiles::Tick() {
  const std::scoped_lock lock(mutex_);
  std::map<Key, MemberState> members;
  for (const Capture& capture : captures_.All()) {
    if (!capture.samples_cpu) continue;
    for (const CaptureMember& member : capture.members) {
      members[{capture.id, member.pid}] = member.state;
      const bool records =
          member.state == MemberState::kDelivered || member.state == MemberState::kRecording;
      if (records && !member.cpu) Begin(capture, member);
    }
  }
  for (auto one = samplers_.begin(); one != samplers_.end();) {
    const auto& [key, sampled] = *one;
    const auto& sampler = sampled.sampler;
    const auto member = members.find(key);
    captures_.SetCpu(key.first, key.second, sampler->State());
    // What was written is fetched, by another thread.
    const bool is_written = member != members.end() && member->second == MemberState::kWritten;
    const bool is_gone = member == members.end() || IsOver(member->second);
    const bool may_go = is_written ? sampled.is_fetched : is_gone;
    one = may_go && (sampler.use_count() == 1 || sampler->IsOver()) ? samplers_.erase(one)
                                                                    : std::next(one);
  }
}

std::shared_ptr<ProcessSampler> CpuProfiles::SamplerOf(const std::string& capture, pid_t pid) {
  const std::scoped_lock lock(mutex_);
  const auto found = samplers_.find({capture, pid});
  if (found == samplers_.end()) return nullptr;
  found->second.is_fetched = true;
  found->second.sampler->Stop();
  return found->second.sampler;
}

}  // namespace rankscope::agent
