#include "agent/captures/snoop_windows.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/captures/cpu_profiles.h"

namespace rankscope::agent {

void SnoopWindows::Begin(const Capture& capture, const CaptureMember& member) {
  Asked asked;
  // Of a recording of a time from its begin on; of one of iterations from when it is told.
  const std::int64_t begin_ms =
      SamplingOf(capture.config, member.pid, member.later_ms).begin_ns / 1'000'000;
  const auto ask = [&](std::string_view what, std::int64_t milliseconds) {
    if (milliseconds == 0) return;
    const snoop_file::WindowRequest request{
        .what = std::string(what), .pid = member.pid, .milliseconds = milliseconds};
    asked.windows.push_back(std::make_shared<AskedWindow>(socket_path_, request, begin_ms));
  };
  ask("snoop", capture.windows.snoop_ms);
  ask("offcpu", capture.windows.offcpu_ms);
  asked_.emplace(Key(capture.id, member.pid), std::move(asked));
}

void SnoopWindows::Tell(const Key& key, Asked& asked) {
  if (asked.is_told ||
      !std::ranges::all_of(asked.windows, [](const auto& one) { return one->IsOver(); }))
    return;
  asked.is_told = true;
  for (const auto& window : asked.windows) {
    const Result<std::string> text = window->Text();
    if (text.ok() || text.status().code() == StatusCode::kCancelled) continue;
    // Where there is no helper, one sentence is enough for all processes.
    const bool is_of_host = text.status().code() == StatusCode::kNotFound;
    captures_.Warn(key.first, is_of_host ? std::string(text.status().message())
                                         : fmt::format("{} of pid {}: {}", window->what(),
                                                       key.second, text.status().message()));
  }
}

void SnoopWindows::Tick() {
  const std::scoped_lock lock(mutex_);
  std::map<Key, MemberState> members;
  for (const Capture& capture : captures_.All()) {
    if (!capture.windows.any()) continue;
    for (const CaptureMember& member : capture.members) {
      const Key key(capture.id, member.pid);
      members[key] = member.state;
      const bool records =
          member.state == MemberState::kDelivered || member.state == MemberState::kRecording;
      if (!records || asked_.contains(key)) continue;
      if (asked_.size() < kMostAtOnce) {
        Begin(capture, member);
      } else {
        captures_.Warn(capture.id, fmt::format("windows of snoop are made of up to {} processes of "
                                               "a host at a time",
                                               kMostAtOnce));
      }
    }
  }
  for (auto one = asked_.begin(); one != asked_.end();) {
    auto& [key, asked] = *one;
    Tell(key, asked);
    const auto member = members.find(key);
    // What was written is fetched, by another thread.
    const bool is_written = member != members.end() && member->second == MemberState::kWritten;
    const bool is_gone = member == members.end() || IsOver(member->second);
    const bool may_go = is_written ? asked.is_fetched && asked.is_told : is_gone;
    one = may_go ? asked_.erase(one) : std::next(one);
  }
}

AskedWindows SnoopWindows::WindowsOf(const std::string& capture, pid_t pid) {
  const std::scoped_lock lock(mutex_);
  const auto found = asked_.find({capture, pid});
  if (found == asked_.end()) return {};
  found->second.is_fetched = true;
  return found->second.windows;
}

}  // namespace rankscope::agent
