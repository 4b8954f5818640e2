#include "agent/captures/captures.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostContexts = 4096;

std::int64_t NumberIn(const std::string& config, std::string_view key, std::int64_t without) {
  const auto text = wire::ValueIn(config, key);
  std::int64_t value = 0;
  if (!text) return without;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() ? value : without;
}

bool IsSnapshot(const std::string& config) {
  const auto value = wire::ValueIn(config, "PROFILE_MEMORY");
  return value && !value->empty() &&
         std::string_view("1tTyY").find(value->front()) != std::string_view::npos;
}

// How long a capture takes at most until its file is there, from now on. Iterations have no length
// that is known here: `patience_ms` is for them.
std::int64_t LengthMs(const std::string& config, Now now) {
  const std::int64_t start = NumberIn(config, "PROFILE_START_TIME", 0);
  const std::int64_t until_start = start > now.unix_ms() ? start - now.unix_ms() : 0;
  const std::int64_t duration = std::max(NumberIn(config, "ACTIVITIES_DURATION_MSECS", 500),
                                         1000 * NumberIn(config, "ACTIVITIES_DURATION_SECS", 0));
  constexpr std::int64_t kOfIterations = 600'000;
  constexpr std::int64_t kOfWritingSnapshot = 240'000;  // of some gigabytes
  const bool counts = NumberIn(config, "ACTIVITIES_ITERATIONS", 0) > 0;
  return until_start + 1000 * NumberIn(config, "ACTIVITIES_WARMUP_PERIOD_SECS", 5) + duration +
         (counts ? kOfIterations : 0) + (IsSnapshot(config) ? kOfWritingSnapshot : 0);
}

// A snapshot is written under its own name, with no rename at the end: it is whole when it ends as
// a pickle does, and nobody has written to it for a while.
constexpr std::int64_t kSnapshotRestsMs = 1000;

bool EndsAsPickle(const std::string& path, std::int64_t bytes) {
  constexpr char kStop = '.';
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  char last = 0;
  const bool is_read = pread(file, &last, 1, bytes - 1) == 1;
  close(file);
  return is_read && last == kStop;
}

struct FileState {
  std::int64_t bytes = 0;
  std::int64_t changed_unix_ms = 0;
};

std::optional<FileState> StateOf(const std::string& path) {
  struct stat status {};
  // What a process links to is none of its traces.
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileState{status.st_size,
                   std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000};
}

}  // namespace

std::string_view ToString(MemberState state) {
  switch (state) {
    case MemberState::kWaiting:
      return "waiting";
    case MemberState::kDelivered:
      return "delivered";
    case MemberState::kRecording:
      return "recording";
    case MemberState::kWritten:
      return "written";
    case MemberState::kBusy:
      return "busy";
    case MemberState::kRefused:
      return "refused";
    case MemberState::kTimedOut:
      return "timed_out";
    case MemberState::kDied:
      return "died";
    case MemberState::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string JobOf(const Process& process) {
  if (!process.info.job_id.empty()) return process.info.job_id;
  return process.job != 0 ? std::to_string(process.job) : "";
}

std::string GroupOf(const Process& process) {
  std::string job = JobOf(process);
  return job.empty() ? process.info.user : job;
}

bool Capture::IsOver() const {
  return std::ranges::all_of(members,
                             [](const CaptureMember& one) { return agent::IsOver(one.state); });
}

Process& Captures::Seen(const wire::Sender& from, std::int64_t inside, std::int64_t job, Now now) {
  // The kernel's word where there is one: what a process says of itself is that of its namespace.
  const pid_t pid = from.pid > 0 ? from.pid : static_cast<pid_t>(inside);
  auto found = processes_.find(pid);
  if (found == processes_.end()) {
    if (processes_.size() >= limits_.most_processes) {
      const auto oldest = std::ranges::min_element(
          processes_, {}, [](const auto& one) { return one.second.last_seen_ms; });
      pending_.erase(oldest->first);
      processes_.erase(oldest);
    }
    Process process;
    process.info = ReadProcessInfo(root_, pid);
    process.info.pid = pid;
    process.first_seen_ms = now.steady_ms;
    found = processes_.emplace(pid, std::move(process)).first;
  }
  found->second.job = job;
  found->second.last_seen_ms = now.steady_ms;
  return found->second;
}

Capture* Captures::FindLocked(std::string_view id) {
  const auto found = std::ranges::find(captures_, id, &Capture::id);
  return found == captures_.end() ? nullptr : &*found;
}

CaptureMember* Captures::MemberOf(const Pending& pending, pid_t pid) {
  Capture* capture = FindLocked(pending.id);
  if (capture == nullptr) return nullptr;
  const auto member = std::ranges::find(capture->members, pid, &CaptureMember::pid);
  return member == capture->members.end() ? nullptr : &*member;
}

// The one that it has taken, and that is not over.
CaptureMember* Captures::UnderwayOf(pid_t pid) {
  for (Capture& capture : captures_) {
    for (CaptureMember& member : capture.members) {
      if (member.pid == pid && !agent::IsOver(member.state)) return &member;
    }
  }
  return nullptr;
}

std::string Captures::OnPoll(const wire::Sender& from, const wire::KinetoPoll& poll, Now now) {
  const std::scoped_lock lock(mutex_);
  Process& process = Seen(from, poll.pids.front(), poll.job, now);
  process.inside = poll.pids;
  process.is_recording = !poll.IsIdle();
  ++process.polls;
  const pid_t pid = process.info.pid;
  CaptureMember* underway = UnderwayOf(pid);
  if (!poll.IsIdle()) {
    if (underway != nullptr && underway->state == MemberState::kDelivered)
      underway->state = MemberState::kRecording;
    return {};
  }
  const auto pending = pending_.find(pid);
  if (pending == pending_.end()) return {};
  CaptureMember* member = MemberOf(pending->second, pid);
  std::string config = member != nullptr ? std::move(pending->second.config) : std::string();
  pending_.erase(pending);
  if (member == nullptr) return {};
  member->state = MemberState::kDelivered;
  member->delivered_ms = now.steady_ms;
  return config;
}

std::int32_t Captures::OnContext(const wire::Sender& from, const wire::KinetoContext& context,
                                 Now now) {
  const std::scoped_lock lock(mutex_);
  if (context.pid <= 0) return -1;
  Seen(from, context.pid, context.job, now);
  if (contexts_.size() >= kMostContexts) contexts_.clear();
  std::vector<std::int32_t>& known = contexts_[{context.job, context.gpu}];
  const bool is_new = std::ranges::find(known, context.pid) == known.end();
  if (is_new && known.size() < limits_.most_processes) known.push_back(context.pid);
  return static_cast<std::int32_t>(known.size());
}

Triggered Captures::Trigger(const Selection& selection, const std::string& config,
                            std::string_view source, Now now, std::string_view occasion) {
  const std::scoped_lock lock(mutex_);
  Triggered result;
  const bool is_any =
      selection.pids.empty() || (selection.pids.size() == 1 && selection.pids.front() == 0);
  const auto is_asked = [&](const Process& process) {
    if (selection.job && process.job != *selection.job) return false;
    if (!selection.job_id.empty() && JobOf(process) != selection.job_id) return false;
    if (is_any) return true;
    return std::ranges::any_of(selection.pids, [&](std::int64_t pid) {
      return pid == process.info.pid ||
             std::ranges::find(process.inside, pid) != process.inside.end();
    });
  };
  Capture capture;
  capture.source = source;
  capture.occasion = occasion;
  capture.made_unix_ms = now.unix_ms();
  capture.made_ms = now.steady_ms;
  capture.id = wire::ValueIn(config, "REQUEST_TRACE_ID").value_or("");
  if (capture.id.empty() || FindLocked(capture.id) != nullptr)
    capture.id = fmt::format("c{}-{}", now.unix_ms(), next_++);
  capture.config = wire::WithValue(config, "REQUEST_TRACE_ID", capture.id);
  capture.deadline_ms = now.steady_ms + LengthMs(config, now) + limits_.patience_ms;
  const std::string log_file = wire::ValueIn(config, "ACTIVITIES_LOG_FILE").value_or("");
  const bool is_snapshot = IsSnapshot(config);
  for (auto& [pid, process] : processes_) {
    // What said only who it is never asks for work.
    if (process.polls == 0 || !is_asked(process)) continue;
    const std::int64_t inside = process.inside.front();
    result.matched.push_back(inside);
    if (process.is_recording || pending_.contains(pid) || UnderwayOf(pid) != nullptr) {
      ++result.busy;
      capture.members.push_back({.pid = pid,
                                 .inside = inside,
                                 .rank = process.info.rank,
                                 .world_size = process.info.world_size,
                                 .job = GroupOf(process),
                                 .state = MemberState::kBusy,
                                 .reason = "it records, or is to, for somebody else"});
      continue;
    }
    if (result.triggered.size() >= selection.most) continue;
    CaptureMember member{.pid = pid,
                         .inside = inside,
                         .rank = process.info.rank,
                         .world_size = process.info.world_size,
                         .job = GroupOf(process),
                         .is_snapshot = is_snapshot,
                         .path = is_snapshot ? wire::SnapshotPath(log_file, inside)
                                             : wire::TracePath(log_file, inside)};
    std::string own = capture.config;
    // Kineto does not put the process's number into the name of a snapshot of memory.
    if (is_snapshot) own = wire::WithValue(own, "ACTIVITIES_LOG_FILE", member.path);
    if (!wire::IsAllowedPath(log_file, process.info.trace_folder)) {
      capture.warnings.push_back(fmt::format(
          "pid {}: newer versions of Kineto write to {} in place of {}: only /tmp and "
          "the folder in "
          "KINETO_ONDEMAND_TRACE_DIR are allowed",
          pid, is_snapshot ? wire::FallbackSnapshotPath(inside) : wire::FallbackTracePath(inside),
          log_file));
    }
    if (member.path == log_file && !is_snapshot)
      capture.warnings.push_back(
          fmt::format("{} has no .json: all processes write over it", log_file));
    pending_[pid] = {capture.id, std::move(own)};
    result.triggered.push_back(inside);
    capture.members.push_back(std::move(member));
  }
  result.warnings = capture.warnings;
  if (capture.members.empty()) return result;
  result.id = capture.id;
  captures_.push_back(std::move(capture));
  while (captures_.size() > limits_.most_kept) {
    const auto over = std::ranges::find_if(captures_, &Capture::IsOver);
    if (over == captures_.end()) break;
    captures_.erase(over);
  }
  return result;
}

void Captures::SampleCpu(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  if (Capture* capture = FindLocked(id)) capture->samples_cpu = true;
}

void Captures::SetCpu(std::string_view id, pid_t pid, const cpu_profile::SamplingState& state) {
  const std::scoped_lock lock(mutex_);
  Capture* capture = FindLocked(id);
  if (capture == nullptr) return;
  const auto member = std::ranges::find(capture->members, pid, &CaptureMember::pid);
  if (member != capture->members.end()) member->cpu = state;
}

bool Captures::Cancel(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  Capture* capture = FindLocked(id);
  if (capture == nullptr || capture->IsOver()) return false;
  for (CaptureMember& member : capture->members) {
    if (agent::IsOver(member.state)) continue;
    const bool was_told = member.state != MemberState::kWaiting;
    member.state = MemberState::kCancelled;
    // There is no message that takes a configuration back.
    member.reason = was_told ? "it had been told, and may write its trace yet" : "";
    pending_.erase(member.pid);
  }
  return true;
}

std::vector<std::pair<std::string, CaptureMember>> Captures::Tick(Now now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<std::string, CaptureMember>> written;
  for (Capture& capture : captures_) {
    for (CaptureMember& member : capture.members) {
      if (agent::IsOver(member.state)) continue;
      const bool is_told = member.state != MemberState::kWaiting;
      const std::string fallback = member.is_snapshot ? wire::FallbackSnapshotPath(member.inside)
                                                      : wire::FallbackTracePath(member.inside);
      for (const std::string& path : {member.path, fallback}) {
        if (!is_told) break;
        const std::string here = PathSeenFromHere(root_, member.pid, path);
        const auto state = StateOf(here);
        if (!state || state->bytes == 0 || state->changed_unix_ms + 1000 < capture.made_unix_ms)
          continue;
        // A rename ends the writing of a trace: one that is there is whole.
        if (member.is_snapshot && (now.unix_ms() - state->changed_unix_ms < kSnapshotRestsMs ||
                                   !EndsAsPickle(here, state->bytes)))
          continue;
        member.state = MemberState::kWritten;
        member.path = path;
        member.file = here;
        member.bytes = state->bytes;
        member.written_unix_ms = state->changed_unix_ms;
        // It can be asked again, before it says so itself.
        if (const auto one = processes_.find(member.pid); one != processes_.end())
          one->second.is_recording = false;
        written.emplace_back(capture.id, member);
        break;
      }
      if (agent::IsOver(member.state)) continue;
      const auto process = processes_.find(member.pid);
      // In a fake tree nobody lives.
      if (!IsAlive(root_, member.pid) && (root_.empty() || process == processes_.end())) {
        member.state = MemberState::kDied;
        member.reason = "the process ended before its trace was there";
      } else if (member.state == MemberState::kDelivered && process != processes_.end() &&
                 !process->second.is_recording && !member.is_snapshot &&
                 now.steady_ms - member.delivered_ms > limits_.refused_after_ms &&
                 process->second.last_seen_ms - member.delivered_ms >
                     limits_.refused_after_ms / 2) {
        member.state = MemberState::kRefused;
        member.reason =
            "it was given the configuration and did not record: the start was too early, or "
            "another "
            "profiler ran; its own messages say why";
      } else if (now.steady_ms > capture.deadline_ms) {
        member.state = MemberState::kTimedOut;
        member.reason = is_told ? "its trace did not come in time"
                                : "it did not ask for work in time: is it still training?";
      }
      if (agent::IsOver(member.state)) pending_.erase(member.pid);
    }
  }
  for (auto one = processes_.begin(); one != processes_.end();) {
    // In a fake tree nobody lives.
    const bool is_gone = now.steady_ms - one->second.last_seen_ms > limits_.forget_ms ||
                         (root_.empty() && !IsAlive(root_, one->first));
    if (is_gone) pending_.erase(one->first);
    one = is_gone ? processes_.erase(one) : std::next(one);
  }
  return written;
}

std::vector<Process> Captures::Processes() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Process> all;
  for (const auto& [pid, process] : processes_) all.push_back(process);
  return all;
}

std::vector<Capture> Captures::All() const {
  const std::scoped_lock lock(mutex_);
  return captures_;
}

std::optional<Capture> Captures::Find(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(captures_, id, &Capture::id);
  return found == captures_.end() ? std::nullopt : std::optional(*found);
}

bool Captures::MarkProfiled(pid_t pid) {
  const std::scoped_lock lock(mutex_);
  const auto found = processes_.find(pid);
  if (found == processes_.end() || found->second.was_profiled) return false;
  found->second.was_profiled = true;
  return true;
}

}  // namespace rankscope::agent
