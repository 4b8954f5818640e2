#include "agent/captures/captures.h"

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

// A start that Kineto can meet: it refuses one for which the time to warm up is too short by the
// time it hears of it. It then warms up for less, and when there is no time at all it begins a
// whole number of polls later: its peers, which hear of it as late, begin together with it.
struct MetStart {
  std::string config;
  std::int64_t later_ms = 0;  // than it was to
};

MetStart WithStartThatCanBeMet(const std::string& config, Now now) {
  constexpr std::int64_t kControllerMs = 1000;  // until Kineto looks at what it was given
  constexpr std::int64_t kPollMs = 5000;
  const std::int64_t start = NumberIn(config, "PROFILE_START_TIME", 0);
  if (start <= 0 || NumberIn(config, "ACTIVITIES_ITERATIONS", 0) > 0) return {config};
  const std::int64_t warmup_s = NumberIn(config, "ACTIVITIES_WARMUP_PERIOD_SECS", 5);
  std::int64_t left_ms = start - now.unix_ms() - kControllerMs;
  if (left_ms >= 1000 * warmup_s) return {config};
  MetStart met{config};
  if (left_ms < 0) {
    met.later_ms = (-left_ms + kPollMs - 1) / kPollMs * kPollMs;
    left_ms += met.later_ms;
    met.config =
        wire::WithValue(met.config, "PROFILE_START_TIME", std::to_string(start + met.later_ms));
  }
  met.config = wire::WithValue(met.config, "ACTIVITIES_WARMUP_PERIOD_SECS",
                               std::to_string(std::min(left_ms / 1000, warmup_s)));
  return met;
}

SoughtTrace SoughtOf(const Capture& capture, const CaptureMember& member) {
  return {.capture = capture.id,
          .writer = member.writer,
          .is_snapshot = member.is_snapshot,
          .since_unix_ms = capture.made_unix_ms,
          .paths = {member.path, member.is_snapshot ? wire::FallbackSnapshotPath(member.inside)
                                                    : wire::FallbackTracePath(member.inside)}};
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

Process& Captures::Seen(const wire::Sender& from, std::int64_t job, Now now) {
  const pid_t pid = from.pid;
  auto found = processes_.find(pid);
  // Another process has the number by now.
  if (found != processes_.end() && found->second.uid != from.uid) {
    pending_.erase(pid);
    processes_.erase(found);
    found = processes_.end();
  }
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
    process.uid = from.uid;
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
  if (from.pid <= 0) return {};
  Process& process = Seen(from, poll.job, now);
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
  const std::string id = pending->second.id;
  pending_.erase(pending);
  if (member == nullptr) return {};
  member->state = MemberState::kDelivered;
  member->delivered_ms = now.steady_ms;
  MetStart met = WithStartThatCanBeMet(config, now);
  member->later_ms = met.later_ms;
  Capture* const capture = FindLocked(id);
  if (met.later_ms > 0 && capture != nullptr) {
    std::string warning = fmt::format(
        "processes heard of the start too late to meet it, and begin {} ms later", met.later_ms);
    if (std::ranges::find(capture->warnings, warning) == capture->warnings.end())
      capture->warnings.push_back(std::move(warning));
  }
  return std::move(met.config);
}

std::int32_t Captures::OnContext(const wire::Sender& from, const wire::KinetoContext& context,
                                 Now now) {
  const std::scoped_lock lock(mutex_);
  if (context.pid <= 0 || from.pid <= 0) return -1;
  Seen(from, context.job, now);
  if (contexts_.size() >= kMostContexts) contexts_.clear();
  std::vector<std::int32_t>& known = contexts_[{context.job, context.gpu}];
  const bool is_new = std::ranges::find(known, context.pid) == known.end();
  if (is_new && known.size() < limits_.most_processes) known.push_back(context.pid);
  return static_cast<std::int32_t>(known.size());
}

Triggered Captures::Trigger(const Selection& selection, const std::string& config,
                            std::string_view source, Now now, CaptureTerms terms) {
  const std::scoped_lock lock(mutex_);
  Triggered result;
  const bool is_any =
      selection.pids.empty() || (selection.pids.size() == 1 && selection.pids.front() == 0);
  const auto is_asked = [&](const Process& process) {
    if (selection.uid && process.uid != *selection.uid) return false;
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
  capture.terms = std::move(terms);
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
    const TraceWriter writer{.pid = pid,
                             .uid = process.uid,
                             .start_ticks = process.info.start_ticks,
                             .is_contained = !process.info.placed.place.container.empty()};
    if (process.is_recording || pending_.contains(pid) || UnderwayOf(pid) != nullptr) {
      ++result.busy;
      capture.members.push_back({.pid = pid,
                                 .inside = inside,
                                 .rank = process.info.rank,
                                 .world_size = process.info.world_size,
                                 .job = GroupOf(process),
                                 .writer = writer,
                                 .placed = process.info.placed,
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
                         .writer = writer,
                         .placed = process.info.placed,
                         .is_snapshot = is_snapshot,
                         .path = is_snapshot ? wire::SnapshotPath(log_file, inside)
                                             : wire::TracePath(log_file, inside),
                         .keeps_file = capture.terms.keeps_files};
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
    // Of the user who has most of them: nobody pushes out what others have.
    std::map<uid_t, std::size_t> of_user;
    for (const Capture& one : captures_) ++of_user[one.members.front().writer.uid];
    const auto most =
        std::ranges::max_element(of_user, {}, &std::pair<const uid_t, std::size_t>::second);
    const auto over = std::ranges::find_if(captures_, [&](const Capture& one) {
      return one.IsOver() && one.members.front().writer.uid == most->first;
    });
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

void Captures::LookFromOutside(std::string_view id, const WindowLengths& windows) {
  const std::scoped_lock lock(mutex_);
  if (Capture* capture = FindLocked(id)) capture->windows = windows;
}

void Captures::Warn(std::string_view id, std::string warning) {
  constexpr std::size_t kMostWarnings = 100;
  const std::scoped_lock lock(mutex_);
  Capture* capture = FindLocked(id);
  if (capture == nullptr || capture->warnings.size() >= kMostWarnings) return;
  if (std::ranges::find(capture->warnings, warning) == capture->warnings.end())
    capture->warnings.push_back(std::move(warning));
}

bool Captures::Cancel(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  Capture* capture = FindLocked(id);
  if (capture == nullptr || capture->IsOver()) return false;
  for (CaptureMember& member : capture->members) {
    if (agent::IsOver(member.state)) continue;
    // There is no message that takes a configuration back.
    const std::string_view reason = member.state == MemberState::kWaiting ? ""
                                    : member.keeps_file
                                        ? "it had been told, and may write its trace yet"
                                        : "it had been told, and what it writes yet is removed";
    End(*capture, member, MemberState::kCancelled, std::string(reason));
  }
  return true;
}

void Captures::End(const Capture& capture, CaptureMember& member, MemberState state,
                   std::string reason) {
  const bool is_told = member.state != MemberState::kWaiting;
  if (is_told && !member.keeps_file) {
    leftovers_.push_back({.sought = SoughtOf(capture, member),
                          .until_ms = capture.deadline_ms + limits_.patience_ms,
                          .takes_whole = !limits_.keeps_files});
  }
  member.state = state;
  member.reason = std::move(reason);
  if (!member.problem.empty())
    member.reason += (member.reason.empty() ? "" : "; ") + member.problem;
  pending_.erase(member.pid);
}

void Captures::Tick(Now now) {
  const std::scoped_lock lock(mutex_);
  for (Capture& capture : captures_) {
    for (CaptureMember& member : capture.members) {
      if (agent::IsOver(member.state)) continue;
      const auto process = processes_.find(member.pid);
      if (member.state == MemberState::kDelivered && process != processes_.end() &&
          !process->second.is_recording && !member.is_snapshot &&
          now.steady_ms - member.delivered_ms > limits_.refused_after_ms &&
          process->second.last_seen_ms - member.delivered_ms > limits_.refused_after_ms / 2) {
        End(capture, member, MemberState::kRefused,
            "it was given the configuration and did not record: the start was too early, or "
            "another profiler ran; its own messages say why");
      } else if (now.steady_ms > capture.deadline_ms) {
        End(capture, member, MemberState::kTimedOut,
            member.state != MemberState::kWaiting
                ? "its trace did not come in time"
                : "it did not ask for work in time: is it still training?");
      }
    }
  }
  for (auto one = processes_.begin(); one != processes_.end();) {
    // In a fake tree nobody lives.
    const bool is_gone = now.steady_ms - one->second.last_seen_ms > limits_.forget_ms ||
                         (root_.empty() && !IsAlive(root_, one->first));
    if (is_gone) pending_.erase(one->first);
    one = is_gone ? processes_.erase(one) : std::next(one);
  }
}

std::vector<std::pair<std::string, CaptureMember>> Captures::Look(Now now) {
  std::vector<SoughtTrace> sought;
  {
    const std::scoped_lock lock(mutex_);
    for (const Capture& capture : captures_) {
      for (const CaptureMember& member : capture.members) {
        if (!agent::IsOver(member.state)) sought.push_back(SoughtOf(capture, member));
      }
    }
    for (Leftover& one : leftovers_) finder_.TidyUp(std::move(one));
    leftovers_.clear();
  }
  finder_.RemoveLeftovers(sought, now);
  const std::vector<TraceLook> looks = finder_.Look(sought, now);

  std::vector<std::pair<std::string, CaptureMember>> written;
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < sought.size(); ++i) {
    Capture* const capture = FindLocked(sought[i].capture);
    CaptureMember* const member = MemberOf({.id = sought[i].capture}, sought[i].writer.pid);
    // It ended meanwhile: the next look knows.
    if (capture == nullptr || member == nullptr || agent::IsOver(member->state)) continue;
    member->problem = looks[i].problem;
    const bool is_told = member->state != MemberState::kWaiting;
    if (is_told && looks[i].trace) {
      TakeTrace(*member, looks[i]);
      if (!member->keeps_file) {
        leftovers_.push_back({.sought = sought[i],
                              .until_ms = now.steady_ms + limits_.patience_ms,
                              .is_given_up = false,
                              .takes_whole = !limits_.keeps_files});
      }
      written.emplace_back(capture->id, *member);
      written.back().second.trace = looks[i].trace;
      continue;
    }
    const bool is_known = processes_.contains(member->pid);
    // In a fake tree nobody lives.
    if (!looks[i].is_alive && (root_.empty() || !is_known))
      End(*capture, *member, MemberState::kDied, "the process ended before its trace was there");
  }
  return written;
}

void Captures::TakeTrace(CaptureMember& member, const TraceLook& look) {
  member.state = MemberState::kWritten;
  member.path = look.path;
  member.bytes = look.trace->bytes();
  member.written_unix_ms = look.trace->changed_unix_ms();
  // It can be asked again, before it says so itself.
  if (const auto one = processes_.find(member.pid); one != processes_.end())
    one->second.is_recording = false;
}

std::vector<Process> Captures::Processes() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Process> all;
  for (const auto& [pid, process] : processes_) {
    all.push_back(process);
    Placed& placed = all.back().info.placed;
    if (limits_.names) placed.names = limits_.names(placed.place);
  }
  return all;
}

std::vector<Capture> Captures::All() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Capture> all;
  all.reserve(captures_.size());
  for (const Capture& capture : captures_) all.push_back(Named(capture));
  return all;
}

Capture Captures::Named(Capture capture) const {
  if (!limits_.names) return capture;
  for (CaptureMember& member : capture.members)
    member.placed.names = limits_.names(member.placed.place);
  return capture;
}

std::optional<Capture> Captures::Find(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(captures_, id, &Capture::id);
  return found == captures_.end() ? std::nullopt : std::optional(Named(*found));
}

bool Captures::MarkProfiled(pid_t pid) {
  const std::scoped_lock lock(mutex_);
  const auto found = processes_.find(pid);
  if (found == processes_.end() || found->second.was_profiled) return false;
  found->second.was_profiled = true;
  return true;
}

}  // namespace rankscope::agent
