#include "capture/job_capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "base/caught.h"
#include "base/parallel.h"
#include "json/fields.h"
#include "json/writer.h"

namespace rankscope::capture {
namespace {

constexpr int kMostAtOnce = 64;  // hosts that are asked side by side
constexpr std::int64_t kLookAgainMs = 500;
constexpr std::int64_t kLookAgainAtMostMs = 5000;
constexpr std::int64_t kLookPerHostMs = 5;
// What was written when a capture is cancelled is waited for so long.
constexpr std::int64_t kGraceMs = 10'000;
constexpr std::size_t kMostNamed = 5;  // of what is alike

// A request that names what it is about.
RequestWriter RequestOf(std::string_view fn, std::string id) {
  return [fn, id = std::move(id)](json::Writer& members) {
    members.Member("fn", fn).Member("id", id);
  };
}

std::size_t WrittenOf(const std::vector<Member>& members) {
  return static_cast<std::size_t>(
      std::ranges::count(members, std::string_view("written"), &Member::state));
}

// The ids of a capture on agents: RUN:1 for its traces, RUN:2 for snapshots.
std::string RunOf(const std::string& capture_id) {
  return capture_id.substr(0, capture_id.find(':'));
}

constexpr std::string_view kHowToRun =
    ": processes have to run with KINETO_USE_DAEMON=1, and to train";

constexpr std::string_view kHowToReach =
    ": start rankscope-agent on these hosts, where its rpc.listen can be reached from here";

bool TakesPart(const HostState& host) { return host.problem.empty(); }

// Those of a host that wrote nothing, and, when the capture is over, those whose files did not
// come.
void AppendMissing(const CaptureState& state, const HostState& host, bool is_snapshot,
                   std::vector<std::string>& missing) {
  for (const Member& member : is_snapshot ? host.snapshots : host.members) {
    const bool is_written = member.state == "written";
    if (member.has_arrived || (is_written && !IsOver(state.phase))) continue;
    const std::string why =
        is_written ? "written, and did not reach the server: the agent's log says why"
                   : member.state + (member.reason.empty() ? "" : ": " + member.reason);
    missing.push_back(fmt::format("{}: pid {}{}{}: {}", host.host, member.pid,
                                  member.rank >= 0 ? fmt::format(" (rank {})", member.rank) : "",
                                  is_snapshot ? ": snapshot" : "", why));
  }
}

// Whose files are here, as agents call them: "rank3-HOST-PID.json.gz" of a rank, "HOST-PID.json.gz"
// where that is not known; a host's own name is not known here.
class Arrived {
 public:
  Arrived(const std::vector<std::string>& names, std::string_view ending) {
    for (const std::string_view name : names) {
      if (!name.ends_with(ending)) continue;
      const std::string_view stem = name.substr(0, name.size() - ending.size());
      if (stem.starts_with(kRank)) ranks_.insert(NumberAt(stem, kRank.size()));
      pids_.insert(NumberAt(stem, stem.rfind('-') + 1));
    }
  }
  bool Has(const Member& member) const {
    return member.rank >= 0 ? ranks_.contains(member.rank) : pids_.contains(member.pid);
  }

 private:
  static constexpr std::string_view kRank = "rank";
  static std::int64_t NumberAt(std::string_view text, std::size_t at) {
    std::int64_t number = -1;
    std::from_chars(text.data() + at, text.data() + text.size(), number);
    return number;
  }
  std::set<std::int64_t> ranks_, pids_;
};

// Ranks that no process has which was asked, where one says how many there are.
std::vector<std::int64_t> RanksOfNobody(const CaptureState& state) {
  constexpr std::int64_t kMostRanks = 1 << 20;
  std::set<std::int64_t> known;
  std::int64_t world_size = 0;
  for (const HostState& host : state.hosts) {
    for (const Member& member : host.members) {
      known.insert(member.rank);
      world_size = std::max(world_size, member.world_size);
    }
  }
  std::vector<std::int64_t> nobodys;
  // With a rank that is not known nobody can say which are missing.
  if (known.contains(-1)) return nobodys;
  for (std::int64_t rank = 0; rank < std::min(world_size, kMostRanks); ++rank) {
    if (!known.contains(rank)) nobodys.push_back(rank);
  }
  return nobodys;
}

}  // namespace

std::string TextOf(const RequestWriter& request, std::string_view token) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject();
  request(writer);
  if (!token.empty()) writer.Member("token", token);
  writer.EndObject();
  return json;
}

void WritePing(json::Writer& members) { members.Member("fn", "ping"); }

std::string_view ToString(Phase phase) {
  return api::kCapturePhases[static_cast<std::size_t>(phase)];
}

std::int64_t RoundUpFor(std::int64_t asked, double step_time_s) {
  constexpr double kPollS = 5;  // Kineto's
  constexpr double kMost = 1'000'000;
  if (!(step_time_s > 0)) return asked;
  const double steps = std::min(std::ceil(kPollS / step_time_s), kMost);
  return asked * std::max<std::int64_t>(1, (static_cast<std::int64_t>(steps) + asked - 1) / asked);
}

Status Check(const CaptureRequest& request) {
  RS_RETURN_IF_ERROR(json::FieldsOf<CaptureRequest>().Check(request));
  const bool is_path =
      request.folder.starts_with('/') && std::ranges::none_of(request.folder, [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '=';
      });
  if (!is_path)
    return Error(StatusCode::kInvalidArgument, "'{}' is no absolute path of a folder",
                 request.folder);
  return OkStatus();
}

std::vector<std::string> Missing(const CaptureState& state) {
  std::vector<std::string> missing;
  for (const HostState& host : state.hosts) {
    if (!TakesPart(host)) missing.push_back(host.problem);
    if (host.is_silent)
      missing.push_back(host.host + ": its agent answers no more" +
                        (state.run.empty() ? "" : "; what it brings later is added"));
    if (!host.snapshot_problem.empty()) missing.push_back("snapshots: " + host.snapshot_problem);
    AppendMissing(state, host, false, missing);
    AppendMissing(state, host, true, missing);
  }
  const std::vector<std::int64_t> nobodys = RanksOfNobody(state);
  if (!nobodys.empty()) {
    std::string some;
    for (std::size_t i = 0; i < std::min(nobodys.size(), kMostNamed); ++i)
      some += fmt::format("{}{}", i == 0 ? "" : ", ", nobodys[i]);
    missing.push_back(fmt::format("{} ranks are on no host that was asked: {}{}", nobodys.size(),
                                  some, nobodys.size() > kMostNamed ? ", ..." : ""));
  }
  return missing;
}

JobCapture::JobCapture(CaptureRequest request, std::vector<std::string> hosts, AgentChannel& agents,
                       CaptureRun& run, std::function<void(const CaptureState&)> on_change,
                       CaptureTime& time)
    : request_(std::move(request)),
      round_up_(request_.round_up),
      agents_(agents),
      run_(run),
      on_change_(std::move(on_change)),
      time_(time) {
  for (std::string& host : hosts) state_.hosts.push_back({.host = std::move(host)});
}

CaptureState JobCapture::State() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

void JobCapture::Enter(Phase phase, std::string_view reason) {
  {
    const std::scoped_lock lock(mutex_);
    state_.phase = phase;
    state_.reason = reason;
  }
  if (on_change_) on_change_(State());
}

template <typename Work>
void JobCapture::ForEachHost(const Work& work) {
  // Nobody else changes who takes part.
  ParallelFor(state_.hosts.size(), kMostAtOnce, [&](std::size_t i) {
    if (!TakesPart(state_.hosts[i])) return;
    const Status done = Caught([&] { work(i); });
    if (done.ok()) return;
    const std::scoped_lock lock(mutex_);
    state_.hosts[i].problem = fmt::format("{}: {}", state_.hosts[i].host, done.message());
  });
}

bool JobCapture::Pause() {
  const auto hosts = static_cast<std::int64_t>(std::min<std::size_t>(state_.hosts.size(), 10'000));
  time_.Pause(std::clamp(kLookPerHostMs * hosts, kLookAgainMs, kLookAgainAtMostMs), is_cancelled_);
  return !is_cancelled_;
}

Result<json::Reader> JobCapture::Ask(std::size_t host, const RequestWriter& request) const {
  const std::string& name = state_.hosts[host].host;
  RS_ASSIGN_OR_RETURN(const std::string answer, agents_.Call(name, request));
  Result<json::Reader> reader = json::Reader::Parse(answer);
  if (!reader.ok()) return Error(StatusCode::kBadData, "{}: what answers there is no agent", name);
  const std::string error = reader->root()["error"].TextOr("");
  if (!error.empty()) return Error(StatusCode::kInvalidArgument, "{}: {}", name, error);
  return reader;
}

template <typename Answer>
Result<Answer> JobCapture::AskFor(std::size_t host, const RequestWriter& request) const {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, Ask(host, request));
  Answer answer;
  RS_RETURN_IF_ERROR(json::FieldsOf<Answer>().Read(reader.root(), answer));
  return answer;
}

Status JobCapture::Run() {
  Status ended = Caught([this] { return RunOnce(); });
  // Who looks on is not left waiting for what nobody does any more.
  if (!IsOver(State().phase)) Enter(Phase::kFailed, ended.message());
  return ended;
}

Status JobCapture::RunOnce() {
  Enter(Phase::kAsking);
  const Status captured = Caught([this] { return Capture(); });
  if (captured.ok()) {
    Enter(Phase::kDone);
    return captured;
  }
  CancelHosts();
  const Status kept =
      State().run.empty() ? Error(StatusCode::kNotFound, "no run") : KeepWhatArrived();
  if (kept.code() != StatusCode::kNotFound) {
    const CaptureState state = State();
    Enter(is_cancelled_ ? Phase::kCancelled : Phase::kFailed,
          !kept.ok()
              ? fmt::format("{}; the run stays as it is: {}", captured.message(), kept.message())
              : fmt::format("{}; the run has what arrived: {} of {} files, and is analysed",
                            captured.message(), state.arrived,
                            std::max(state.asked, state.written + state.snapshots)));
    return captured;
  }
  if (!State().run.empty()) run_.Remove();
  {
    const std::scoped_lock lock(mutex_);
    state_.run.clear();
  }
  const Status ended = is_cancelled_ ? Error(StatusCode::kCancelled,
                                             "stopped: nothing had arrived, and no run is left; "
                                             "what the processes write yet is removed")
                                     : captured;
  Enter(is_cancelled_ ? Phase::kCancelled : Phase::kFailed, ended.message());
  return ended;
}

// Of one that ends early; kNotFound when there is nothing.
Status JobCapture::KeepWhatArrived() {
  // Who asked is not to wait, but what was written is on its way.
  static const std::atomic<bool> is_patient = false;
  const std::int64_t end = time_.SteadyMs() + kGraceMs;
  for (;;) {
    const Result<std::vector<std::string>> files = run_.Files();
    if (files.ok()) SeeFiles(*files);
    const bool is_over = time_.SteadyMs() >= end;
    // What is not known is not removed.
    if (is_over && !files.ok()) return Error(StatusCode::kIo, "{}", files.status().message());
    if (is_over || (files.ok() && !IsAnythingExpected())) break;
    time_.Pause(kLookAgainMs, is_patient);
  }
  if (State().arrived == 0) return Error(StatusCode::kNotFound, "nothing arrived");
  const Status finished = run_.Finish();
  return finished.ok() ? finished : Error(StatusCode::kIo, "{}", finished.message());
}

Status JobCapture::Capture() {
  std::atomic<bool> is_reached = true;
  ForEachHost([&](std::size_t host) {
    const Result<HostClock> met = agents_.Meet(state_.hosts[host].host);
    const std::scoped_lock lock(mutex_);
    state_.hosts[host].heard_ms = time_.SteadyMs();
    if (met.ok()) {
      state_.hosts[host].clock = *met;
    } else {
      state_.hosts[host].problem = met.status().message();
      // Else it answers, and refuses.
      if (met.status().code() == StatusCode::kIo) is_reached = false;
    }
  });
  if (std::ranges::none_of(state_.hosts, TakesPart))
    return NothingCame("no agent answers", is_reached ? "" : kHowToReach);
  RS_ASSIGN_OR_RETURN(const std::string run, run_.Make(request_));
  capture_id_ = run + ":1";
  {
    const std::scoped_lock lock(mutex_);
    state_.run = run;
  }
  if (request_.steps > 0) RaiseRoundUp();
  const std::int64_t start = time_.UnixMs() + request_.start_in_ms;
  ForEachHost([&](std::size_t host) { Start(host, TraceOf(host, start)); });
  std::size_t asked = 0;
  for (const HostState& host : state_.hosts) asked += host.members.size();
  if (asked == 0) return NothingCame("no process of the job asks for work", kHowToRun);
  {
    const std::scoped_lock lock(mutex_);
    state_.asked = asked;
  }
  Enter(Phase::kRecording);
  RS_RETURN_IF_ERROR(WaitForMembers());
  // They have asked for work: that they run as they have to is known.
  if (State().written == 0)
    return NothingCame("no process wrote a trace",
                       "; what the processes print themselves may say more");
  if (request_.snapshot_ms > 0) {
    Enter(Phase::kSnapshots);
    TakeSnapshots();
    RS_RETURN_IF_ERROR(WaitForMembers());
  }
  Enter(Phase::kSending);
  RS_RETURN_IF_ERROR(WaitForFiles());
  return run_.Finish();
}

Status JobCapture::NothingCame(std::string_view what, std::string_view remedy) const {
  std::string reasons;
  std::size_t told = 0;
  for (const HostState& host : state_.hosts) {
    if (host.problem.empty() || ++told > kMostNamed) continue;
    reasons += "; " + host.problem;
  }
  return Error(StatusCode::kNotFound, "{}{}{}", what, reasons, remedy);
}

// By the shortest step that a process of the job has told its agent of.
void JobCapture::RaiseRoundUp() {
  double step_time_s = 0;
  ForEachHost([&](std::size_t host) {
    const Result<json::Reader> answer = Ask(host, [](json::Writer& members) {
      members.Member("fn", "getMetrics").Member("name", "job_value");
      members.Key("labels").BeginObject().Member("name", "step_time_s").EndObject();
    });
    if (!answer.ok()) return;
    const std::scoped_lock lock(mutex_);
    for (const json::Value& one : answer->root()["metrics"].Items()) {
      const bool is_of_job =
          request_.job.empty() || one["labels"]["job"].Text() == std::string_view(request_.job);
      const double value = one["value"].Number().value_or(0);
      if (is_of_job && value > 0 && (step_time_s == 0 || value < step_time_s)) step_time_s = value;
    }
  });
  round_up_ = RoundUpFor(request_.round_up, step_time_s);
  if (round_up_ == request_.round_up) return;
  const std::scoped_lock lock(mutex_);
  state_.warnings.push_back(
      fmt::format("steps are recorded from the next multiple of {} on, not of {}: processes hear "
                  "of it within five seconds, in which they do more steps",
                  round_up_, request_.round_up));
}

// For the same processes of every host.
api::AgentCaptureRequest JobCapture::CaptureOf(std::string_view file_ending) const {
  api::AgentCaptureRequest capture;
  capture.id = capture_id_;
  capture.source = "capture";
  capture.log_file =
      fmt::format("{}/rankscope-{}{}", request_.folder, RunOf(capture_id_), file_ending);
  capture.job = request_.job;
  capture.pids = request_.pids;
  capture.process_limit = request_.most_per_host;
  return capture;
}

api::AgentCaptureRequest JobCapture::TraceOf(std::size_t host, std::int64_t start_unix_ms) const {
  api::AgentCaptureRequest trace = CaptureOf(".pt.trace.json");
  if (request_.steps > 0) {
    trace.iterations = request_.steps;
    trace.iteration_roundup = round_up_;
  } else {
    // By its own clock, since that is what Kineto looks at.
    const HostClock clock = state_.hosts[host].clock;
    const bool is_sure =
        clock.ahead_us > clock.uncertainty_us || clock.ahead_us < -clock.uncertainty_us;
    trace.duration_ms = request_.duration_ms;
    trace.start_unix_ms = start_unix_ms + (is_sure ? clock.ahead_us / 1000 : 0);
  }
  trace.shapes = request_.shapes;
  trace.stacks = request_.stacks;
  trace.memory = request_.memory;
  trace.cpu = request_.cpu;
  trace.snoop_ms = request_.snoop_ms;
  trace.offcpu_ms = request_.offcpu_ms;
  return trace;
}

// Each begins when it asks next: what a process allocates is its own.
api::AgentCaptureRequest JobCapture::SnapshotOf() const {
  api::AgentCaptureRequest snapshot = CaptureOf(".pickle");
  snapshot.memory_snapshot = true;
  snapshot.duration_ms = request_.snapshot_ms;
  return snapshot;
}

// A host that cannot be asked has its traces all the same.
void JobCapture::TakeSnapshots() {
  product_ = Product::kSnapshot;
  capture_id_ = RunOf(capture_id_) + ":2";
  {
    const std::scoped_lock lock(mutex_);
    for (HostState& host : state_.hosts) host.is_over = WrittenOf(host.members) == 0;
  }
  ForEachHost([this](std::size_t host) {
    if (state_.hosts[host].is_over) return;
    Start(host, SnapshotOf());
  });
}

void JobCapture::Start(std::size_t host, const api::AgentCaptureRequest& capture) {
  const auto answer = AskFor<api::AgentCaptureStart>(host, [&](json::Writer& members) {
    members.Member("fn", "startCapture");
    json::FieldsOf<api::AgentCaptureRequest>().WriteInto(capture, members);
  });
  // It may have been told all the same.
  if (answer.status().code() == StatusCode::kIo)
    (void)Ask(host, RequestOf("cancelCapture", capture_id_));
  HostState& state = state_.hosts[host];
  {
    const std::scoped_lock lock(mutex_);
    std::string& problem = product_ == Product::kTrace ? state.problem : state.snapshot_problem;
    if (!answer.ok()) {
      problem = answer.status().message();
      state.is_over = true;
      return;
    }
    WarnLocked(state.host, answer->warnings);
    if (answer->id.empty()) {
      problem = state.host + ": no process of the job asks for work there";
      state.is_over = true;
      return;
    }
  }
  Look(host);
}

void JobCapture::HeardNothingLocked(HostState& host) {
  if (time_.SteadyMs() - host.heard_ms < request_.host_wait_ms) return;
  // The others are not to wait for it.
  host.is_silent = true;
  host.is_over = true;
}

// Whether its agent is there.
void JobCapture::Hear(std::size_t host) {
  const Result<json::Reader> answer = Ask(host, WritePing);
  const std::scoped_lock lock(mutex_);
  HostState& state = state_.hosts[host];
  if (!answer.ok() && answer.status().code() != StatusCode::kInvalidArgument)
    return HeardNothingLocked(state);
  state.heard_ms = time_.SteadyMs();
  state.is_silent = false;
}

// What its agent warns of, once each.
void JobCapture::WarnLocked(const std::string& host, const std::vector<std::string>& warnings) {
  for (const std::string& one : warnings) {
    std::string warning = fmt::format("{}: {}", host, one);
    if (std::ranges::find(state_.warnings, warning) == state_.warnings.end())
      state_.warnings.push_back(std::move(warning));
  }
}

// How its processes are getting on. An agent that does not answer may be back at the next look.
void JobCapture::Look(std::size_t host) {
  const auto answer = AskFor<api::AgentCapture>(host, RequestOf("getCapture", capture_id_));
  if (!answer.ok()) {
    const std::scoped_lock lock(mutex_);
    HostState& state = state_.hosts[host];
    if (answer.status().code() != StatusCode::kInvalidArgument) return HeardNothingLocked(state);
    // It answers, and does not know the capture: its agent began anew.
    state.is_over = true;
    state.problem = answer.status().message();
    return;
  }
  std::vector<Member> members;
  for (const api::AgentCaptureMember& one : answer->members) {
    members.push_back({.pid = one.inside,
                       .rank = one.rank.value_or(-1),
                       .world_size = one.world_size.value_or(-1),
                       .state = one.state,
                       .reason = one.reason});
  }
  const std::scoped_lock lock(mutex_);
  HostState& state = state_.hosts[host];
  state.heard_ms = time_.SteadyMs();
  state.is_silent = false;
  WarnLocked(state.host, answer->warnings);
  const bool is_trace = product_ == Product::kTrace;
  std::size_t& written = is_trace ? state_.written : state_.snapshots;
  std::vector<Member>& known = is_trace ? state.members : state.snapshots;
  written -= WrittenOf(known);
  known = std::move(members);
  state.is_over = answer->over;
  written += WrittenOf(known);
}

void JobCapture::CancelHosts() {
  if (capture_id_.empty()) return;
  ForEachHost([this](std::size_t host) {
    const HostState& state = state_.hosts[host];
    // One that is silent may hear it.
    if (!state.is_over || state.is_silent) (void)Ask(host, RequestOf("cancelCapture", capture_id_));
  });
}

Status JobCapture::WaitForMembers() {
  const std::int64_t end = time_.SteadyMs() + request_.wait_ms;
  std::optional<std::int64_t> first_written;  // when it was seen
  for (;;) {
    ForEachHost([this](std::size_t host) {
      if (!state_.hosts[host].is_over) Look(host);
    });
    if (State().written > 0 && !first_written) first_written = time_.SteadyMs();
    if (on_change_) on_change_(State());
    const bool is_over = std::ranges::all_of(
        state_.hosts, [](const HostState& one) { return one.is_over || !TakesPart(one); });
    if (is_over) return OkStatus();
    // Those that go on are not cancelled: the run gets what they bring in another version.
    if (request_.analyse_after_ms > 0 && first_written &&
        time_.SteadyMs() - *first_written >= request_.analyse_after_ms)
      return OkStatus();
    if (time_.SteadyMs() > end) {
      CancelHosts();
      ForEachHost([this](std::size_t host) {
        if (!state_.hosts[host].is_over) Look(host);
      });
      return OkStatus();
    }
    if (!Pause()) return Error(StatusCode::kCancelled, "stopped");
  }
}

void JobCapture::SeeFiles(const std::vector<std::string>& names) {
  const std::scoped_lock lock(mutex_);
  state_.arrived = names.size();
  // Whatever they are called.
  const bool are_all = names.size() >= state_.written + state_.snapshots;
  const auto mark = [are_all](std::vector<Member>& members, const Arrived& arrived) {
    for (Member& member : members)
      member.has_arrived = member.state == "written" && (are_all || arrived.Has(member));
  };
  const Arrived traces(names, ".json.gz");
  const Arrived snapshots(names, ".pickle.gz");
  for (HostState& host : state_.hosts) {
    mark(host.members, traces);
    mark(host.snapshots, snapshots);
  }
}

// Whether an agent that answers has something yet to bring.
bool JobCapture::IsAnythingExpected() const {
  const std::scoped_lock lock(mutex_);
  const auto is_coming = [](const Member& member) {
    return member.state == "written" && !member.has_arrived;
  };
  return std::ranges::any_of(state_.hosts, [&](const HostState& host) {
    return !host.is_silent && (std::ranges::any_of(host.members, is_coming) ||
                               std::ranges::any_of(host.snapshots, is_coming));
  });
}

// The agents send what was written.
Status JobCapture::WaitForFiles() {
  const std::int64_t begin = time_.SteadyMs();
  for (;;) {
    const Result<std::vector<std::string>> files = run_.Files();
    const std::int64_t waited = time_.SteadyMs() - begin;
    const bool is_late = waited > request_.wait_ms;
    if (!files.ok() && is_late) return files.status();
    if (files.ok()) {
      SeeFiles(*files);
      if (on_change_) on_change_(State());
      if (!IsAnythingExpected()) break;
      const bool is_enough = request_.analyse_after_ms > 0 && waited >= request_.analyse_after_ms;
      if (is_late || (is_enough && !files->empty())) break;
    }
    if (!Pause()) return Error(StatusCode::kCancelled, "stopped");
    ForEachHost([this](std::size_t host) { Hear(host); });
  }
  if (State().arrived > 0) return OkStatus();
  return Error(StatusCode::kIo, "no trace reached the server: do the agents have server.url?");
}

}  // namespace rankscope::capture
