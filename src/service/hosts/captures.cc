#include "service/hosts/captures.h"

#include <algorithm>
#include <set>
#include <thread>

#include "json/fields.h"
#include "service/hosts/agents.h"
#include "service/requests/run_json.h"
#include "service/runs/parts.h"
#include "service/runs/runs.h"
#include "store/random_id.h"

namespace rankscope::service {
namespace {

using capture::CaptureRequest;
using capture::CaptureState;
using capture::HostState;

constexpr std::chrono::milliseconds kAnswerTime{10'000};

// Agents that report to this server.
class ReportingAgents final : public capture::AgentChannel {
 public:
  ReportingAgents(Agents& agents, std::string team) : agents_(agents), team_(std::move(team)) {}

  Result<capture::HostClock> Meet(const std::string& host) override {
    for (const AgentHost& one : agents_.Hosts()) {
      if (one.team == team_ && one.name == host && one.is_here) return one.clock;
    }
    return Error(StatusCode::kNotFound, "{}: its agent does not report any more", host);
  }
  Result<std::string> Call(const std::string& host,
                           const capture::RequestWriter& request) override {
    return agents_.Call(team_, host, capture::TextOf(request), kAnswerTime);
  }

 private:
  Agents& agents_;
  const std::string team_;
};

class RunOfStore final : public capture::CaptureRun {
 public:
  RunOfStore(Parts& parts, Runs& runs, std::string team, std::string user)
      : parts_(parts), runs_(runs), team_(std::move(team)), user_(std::move(user)) {}

  Result<std::string> Make(const CaptureRequest& request) override {
    store::Run run;
    run.name = request.name;
    run.team = team_;
    run.user = user_;
    run.tags = {{"made_by", "capture"}};
    if (!request.job.empty()) run.tags["job"] = request.job;
    if (request.serving) run.tags[std::string(store::kKindTag)] = store::kServingKind;
    RS_ASSIGN_OR_RETURN(run, parts_.store.catalogue().Create(std::move(run)));
    runs_.Publish(run);
    id_ = run.id;
    return id_;
  }
  Result<std::vector<std::string>> Files() override {
    RS_ASSIGN_OR_RETURN(const store::Run run, parts_.store.catalogue().Find(id_));
    std::vector<std::string> names;
    for (const store::RunFile& file : run.files) names.push_back(file.name);
    return names;
  }
  Status Finish() override { return runs_.Finish(id_).status(); }
  void Remove() override {
    const Result<store::Run> run = parts_.store.catalogue().Find(id_);
    if (!run.ok()) return;
    // What came meanwhile stays.
    (void)(run->files.empty() ? runs_.Remove(*run) : runs_.Finish(id_).status());
  }

 private:
  Parts& parts_;
  Runs& runs_;
  const std::string team_;
  const std::string user_;
  std::string id_;
};

std::string QuotedList(const std::set<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t told = 0;
  for (const std::string& name : names) {
    if (++told > kMost) return text + ", ...";
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  }
  return text;
}

std::vector<api::CaptureMember> MembersOf(const std::vector<capture::Member>& members) {
  std::vector<api::CaptureMember> shown;
  shown.reserve(members.size());
  for (const capture::Member& member : members) {
    shown.push_back({.pid = member.pid,
                     .rank = member.rank < 0 ? std::nullopt : std::optional(member.rank),
                     .state = member.state,
                     .reason = member.reason});
  }
  return shown;
}

api::CaptureHost HostOf(const HostState& host) {
  return {.host = host.host,
          .clock_ahead_us = host.clock.ahead_us,
          .clock_uncertainty_us = host.clock.uncertainty_us,
          .over = host.is_over,
          .problem = host.problem,
          .snapshot_problem = host.snapshot_problem,
          .members = MembersOf(host.members),
          .snapshots = MembersOf(host.snapshots)};
}

api::Capture ShownOf(const ServerCapture& one) {
  return {.id = one.id,
          .made = IsoTime(one.made_s),
          .phase = std::string(ToString(one.state.phase)),
          .reason = one.state.reason,
          .name = one.request.name,
          .job = one.request.job,
          .user = one.user,
          .run = one.state.run,
          .steps = one.request.steps,
          .duration_ms = one.request.duration_ms,
          .snapshot_ms = one.request.snapshot_ms,
          .asked = one.state.asked,
          .written = one.state.written,
          .snapshots = one.state.snapshots,
          .arrived = one.state.arrived};
}

}  // namespace

class Captures::Underway {
 public:
  Underway(Agents& agents, Parts& parts, Runs& runs, ServerCapture what,
           std::vector<std::string> hosts)
      : what_(std::move(what)),
        events_(parts.events),
        agents_(agents, what_.host_team),
        run_(parts, runs, what_.team, what_.user),
        job_(what_.request, std::move(hosts), agents_, run_,
             [this](const CaptureState& state) { Tell(state); }),
        thread_([this] { (void)job_.Run(); }) {}
  ~Underway() {
    job_.Cancel();
    thread_.join();
  }
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

  const ServerCapture& what() const { return what_; }  // but for its state
  capture::JobCapture& job() { return job_; }
  const capture::JobCapture& job() const { return job_; }

 private:
  void Tell(const CaptureState& state) const {
    ServerCapture now = what_;
    now.state = state;
    events_.Publish(what_.team, "capture", json::ToJson(SummaryOf(now)));
  }

  const ServerCapture what_;
  EventHub& events_;
  ReportingAgents agents_;
  RunOfStore run_;
  capture::JobCapture job_;
  std::thread thread_;
};

Captures::Captures(Agents& agents, Parts& parts, Runs& runs, WallClock now_s)
    : agents_(agents), parts_(parts), runs_(runs), now_s_(std::move(now_s)) {}

Captures::~Captures() { Stop(); }

void Captures::Stop() {
  std::map<std::uint64_t, std::unique_ptr<Underway>> all;
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
    all.swap(captures_);
  }
  for (const auto& [number, one] : all) one->job().Cancel();
}

ServerCapture Captures::Copy(const Underway& one) {
  ServerCapture copy = one.what();
  copy.state = one.job().State();
  return copy;
}

Result<ServerCapture> Captures::Start(const Principal& who, CaptureRequest request,
                                      std::vector<std::string> hosts) {
  RS_RETURN_IF_ERROR(capture::Check(request));
  std::set<std::string> jobs;
  std::vector<std::string> with_processes;
  std::set<std::string> here;
  std::set<std::string> teams;  // of those with processes
  for (const AgentHost& host : agents_.Hosts()) {
    const bool is_wanted = (hosts.empty() || std::ranges::find(hosts, host.name) != hosts.end()) &&
                           (request.team.empty() || host.team == request.team);
    if (!is_wanted || !host.is_here || !who.SeesTeam(host.team)) continue;
    here.insert(host.name);
    bool has_any = false;
    for (const api::HostProcess& process : host.processes) {
      jobs.insert(process.job);
      has_any |= request.job.empty() || process.job == request.job;
    }
    if (!has_any) continue;
    with_processes.push_back(host.name);
    teams.insert(host.team);
  }
  for (const std::string& host : hosts) {
    if (!here.contains(host))
      return Error(StatusCode::kNotFound,
                   "no agent reports as host '{}': agents need server.url for that", host);
  }
  if (here.empty())
    return Error(StatusCode::kNotFound,
                 "no agent reports to this server: start rankscope-agent with server.url on the "
                 "job's hosts, or give --hosts");
  if (request.job.empty() && jobs.size() > 1 && request.pids.empty()) {
    return Error(StatusCode::kInvalidArgument,
                 "there are processes of {} jobs: say which is meant: {}", jobs.size(),
                 QuotedList(jobs));
  }
  if (with_processes.empty()) {
    const std::string others = jobs.empty() ? "" : "; there are " + QuotedList(jobs);
    return Error(StatusCode::kNotFound,
                 "no process of {} asks for work: it has to run with KINETO_USE_DAEMON=1, and to "
                 "train{}",
                 request.job.empty() ? "any job" : fmt::format("job '{}'", request.job), others);
  }
  if (teams.size() > 1) {
    return Error(StatusCode::kInvalidArgument,
                 "there are such processes of {} teams: say whose are meant by team: {}",
                 teams.size(), QuotedList(teams));
  }
  const std::string& team = *teams.begin();
  const std::scoped_lock lock(mutex_);
  if (is_stopped_) return Error(StatusCode::kCancelled, "the server is stopping");
  std::size_t running = 0;
  std::size_t of_all = 0;
  for (const auto& [number, one] : captures_) {
    if (capture::IsOver(one->job().State().phase)) continue;
    ++of_all;
    if (one->what().host_team != team) continue;
    ++running;
    if (one->what().request.job == request.job && !request.job.empty())
      return Error(StatusCode::kResource, "job '{}' is being captured already: {}", request.job,
                   one->what().id);
  }
  if (running >= kMostAtOnce || of_all >= kMostOfAll)
    return Error(StatusCode::kResource, "{} captures are underway; wait for one to end",
                 running >= kMostAtOnce ? running : of_all);
  const std::uint64_t number = next_++;
  ServerCapture what{.id = store::RandomId(),
                     .team = team.empty() && who.team != kAllTeams ? who.team : team,
                     .host_team = team,
                     .user = who.name,
                     .made_s = now_s_(),
                     .request = std::move(request),
                     .state = {}};
  auto made = std::make_unique<Underway>(agents_, parts_, runs_, std::move(what),
                                         std::move(with_processes));
  ServerCapture copy = Copy(*made);
  captures_.emplace(number, std::move(made));
  auto kept = static_cast<std::size_t>(std::ranges::count_if(
      captures_, [&](const auto& one) { return one.second->what().host_team == team; }));
  for (auto one = captures_.begin(); kept > kMostKept && one != captures_.end();) {
    const bool goes =
        one->second->what().host_team == team && capture::IsOver(one->second->job().State().phase);
    kept -= goes ? 1 : 0;
    one = goes ? captures_.erase(one) : std::next(one);
  }
  return copy;
}

std::vector<ServerCapture> Captures::All(const Principal& who) const {
  const std::scoped_lock lock(mutex_);
  std::vector<ServerCapture> all;
  for (auto one = captures_.rbegin(); one != captures_.rend(); ++one) {
    if (who.SeesTeam(one->second->what().team)) all.push_back(Copy(*one->second));
  }
  return all;
}

Result<ServerCapture> Captures::Find(const Principal& who, std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [number, one] : captures_) {
    if (one->what().id == id && who.SeesTeam(one->what().team)) return Copy(*one);
  }
  return Error(StatusCode::kNotFound, "there is no capture '{}'", id);
}

Status Captures::Cancel(const Principal& who, std::string_view id) {
  RS_RETURN_IF_ERROR(Find(who, id).status());
  const std::scoped_lock lock(mutex_);
  for (const auto& [number, one] : captures_) {
    if (one->what().id == id) one->job().Cancel();
  }
  return OkStatus();
}

api::CaptureSummary SummaryOf(const ServerCapture& one) {
  return {ShownOf(one), one.state.hosts.size()};
}

api::CaptureDetail DetailOf(const ServerCapture& one) {
  api::CaptureDetail detail{ShownOf(one), one.state.warnings, {}, {}};
  if (capture::IsOver(one.state.phase)) detail.missing = Missing(one.state);
  for (const HostState& host : one.state.hosts) detail.hosts.push_back(HostOf(host));
  return detail;
}

}  // namespace rankscope::service
