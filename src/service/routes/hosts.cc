// Hosts that report here, the jobs that train on them, and captures of those.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "json/fields.h"
#include "service/hosts/agents.h"
#include "service/hosts/captures.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"

namespace rankscope::service {
namespace {

api::Host ShownOf(const AgentHost& host) {
  const bool is_measured = host.rtt_us.has_value();
  return {
      .host = host.name,
      .team = host.team,
      .version = host.version,
      .rack = host.rack,
      .here = host.is_here,
      .silent_ms = host.silent_ms,
      .clock_ahead_us = is_measured ? std::optional(host.clock.ahead_us) : std::nullopt,
      .clock_uncertainty_us = is_measured ? std::optional(host.clock.uncertainty_us) : std::nullopt,
      .settings = host.settings,
      .settings_problem = host.settings_problem,
      .processes = host.processes,
      .devices = host.devices};
}

std::vector<api::HostJob> JobsOf(const std::vector<AgentHost>& hosts) {
  // Two teams may call theirs the same.
  std::map<std::pair<std::string, std::string>, api::HostJob> jobs;
  for (const AgentHost& host : hosts) {
    if (!host.is_here) continue;
    std::set<std::string> here;
    for (const api::HostProcess& process : host.processes) {
      api::HostJob& job = jobs[{process.job, host.team}];
      job.job = process.job;
      if (job.name.empty()) job.name = process.job_name;
      if (job.user.empty()) job.user = process.user;
      if (here.insert(process.job).second) ++job.host_count;
      ++job.processes;
      job.recording += process.recording ? 1 : 0;
      if (process.world_size) job.world_size = process.world_size;
    }
  }
  std::vector<api::HostJob> list;
  list.reserve(jobs.size());
  for (auto& [id, job] : jobs) list.push_back(std::move(job));
  return list;
}

http::Reply Hosts(const Agents& agents, const Call& call) {
  std::vector<AgentHost> hosts = agents.Hosts();
  std::erase_if(hosts, [&](const AgentHost& one) { return !call.who.SeesTeam(one.team); });
  api::HostList list{.jobs = JobsOf(hosts), .hosts = {}};
  const std::string_view job = call.Query("job");
  for (const AgentHost& host : hosts) {
    const bool has_job =
        std::ranges::find(host.processes, job, &api::HostProcess::job) != host.processes.end();
    if (job.empty() || has_job) list.hosts.push_back(ShownOf(host));
  }
  return JsonReply(200, json::ToJson(list));
}

// By the six digits that a float has, so that 0.1f is not sent as 0.10000000149011612.
std::optional<double> ShownOf(float value) {
  if (std::isnan(value)) return std::nullopt;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

std::vector<std::optional<double>> ShownOf(const std::vector<float>& values) {
  std::vector<std::optional<double>> shown;
  shown.reserve(values.size());
  for (const float value : values) shown.push_back(ShownOf(value));
  return shown;
}

api::HostSeries ShownOf(const HostSeries& series) {
  return {.name = std::string(series.name),
          .unit = std::string(series.unit),
          .device = series.device < 0 ? std::nullopt : std::optional(series.device),
          .low = ShownOf(series.low),
          .high = ShownOf(series.high)};
}

http::Reply MetricsOfHosts(const Agents& agents, const WallClock& now_s, const Call& call) {
  const std::vector<AgentHost> hosts = agents.Hosts();
  const std::string_view team = call.Query("team");
  const auto host = std::ranges::find_if(hosts, [&](const AgentHost& one) {
    return one.name == call.arguments[0] && call.who.SeesTeam(one.team) &&
           (team.empty() || one.team == team);
  });
  if (host == hosts.end()) return ErrorReply(404, "not_found", "no agent of that host reports");
  const std::string_view asked = call.Query("points");
  const auto points =
      asked.empty() ? std::optional<std::int64_t>(HostMetrics::kSteps) : ParseInteger(asked);
  if (!points || *points < 1 || *points > HostMetrics::kSteps)
    return ErrorReply(400, "bad_request", fmt::format("'points' is 1 to {}", HostMetrics::kSteps));
  api::HostMetrics shown{.host = host->name, .series = {}};
  const std::vector<HostSeries> found =
      agents.metrics().Of(Agents::MetricsKey(*host), call.Query("name"), *points, 1000 * now_s(),
                          shown.begin_ms, shown.step_ms);
  for (const HostSeries& one : found) shown.series.push_back(ShownOf(one));
  return JsonReply(200, json::ToJson(shown));
}

http::Reply ReportOfHost(Agents& agents, const Call& call) {
  return agents.Exchange(call.who, call.body);
}

Result<std::string> StartCapture(Captures& captures, const Call& call) {
  RS_ASSIGN_OR_RETURN(api::CaptureRequest request, BodyOf<api::CaptureRequest>(call));
  std::vector<std::string> hosts = std::move(request.hosts);
  call.on->target = request.job;
  call.on->detail = hosts.empty() ? "all hosts" : fmt::format("hosts {}", fmt::join(hosts, ", "));
  RS_ASSIGN_OR_RETURN(const ServerCapture made,
                      captures.Start(call.who, std::move(request), std::move(hosts)));
  call.on->detail = fmt::format("capture {}: {}", made.id, call.on->detail);
  return json::ToJson(DetailOf(made));
}

http::Reply PostCapture(Captures& captures, const Call& call) {
  Result<std::string> json = StartCapture(captures, call);
  if (json.ok()) return JsonReply(201, *std::move(json));
  if (json.status().code() == StatusCode::kResource)
    return ErrorReply(429, "too_many", json.status().message());
  return ErrorReply(json.status());
}

http::Reply ListCaptures(const Captures& captures, const Call& call) {
  api::CaptureList list;
  for (const ServerCapture& one : captures.All(call.who)) list.captures.push_back(SummaryOf(one));
  return JsonReply(200, json::ToJson(list));
}

http::Reply CaptureReply(int status, const Result<ServerCapture>& found) {
  if (!found.ok()) return ErrorReply(found.status());
  return JsonReply(status, json::ToJson(DetailOf(*found)));
}

http::Reply ShowCapture(const Captures& captures, const Call& call) {
  return CaptureReply(200, captures.Find(call.who, call.arguments[0]));
}

http::Reply CancelCapture(Captures& captures, const Call& call) {
  const Status cancelled = captures.Cancel(call.who, call.arguments[0]);
  if (!cancelled.ok()) return ErrorReply(cancelled);
  return CaptureReply(202, captures.Find(call.who, call.arguments[0]));
}

}  // namespace

std::vector<Route> HostRoutes(Agents& agents, Captures& captures, const WallClock& now_s) {
  return {
      {.method = "GET",
       .pattern = "/api/v1/hosts",
       .answer = With(Hosts, agents),
       .summary = "hosts whose agents report here, with their devices and the processes that can "
                  "be profiled; and the jobs of these",
       .parameters = {{"job", "query", "string", "hosts with processes of this job alone"}},
       .gives = &json::FieldsOf<api::HostList>()},
      {.method = "POST",
       .pattern = "/api/v1/hosts",
       .role = Role::kUpload,
       .answer = With(ReportOfHost, agents),
       .summary = "an agent reports, and waits up to wait_ms for something to do",
       .takes = &json::FieldsOf<api::HostReport>(),
       .sends = {"application/json"},
       .most_body = Agents::kMostBody},
      {.method = "GET",
       .pattern = "/api/v1/hosts/{host}/metrics",
       .answer = With(MetricsOfHosts, agents, now_s),
       .summary = "what a host and its devices did over the last hour",
       .parameters = {{"name", "query", "string", "one of the numbers alone, such as device_busy"},
                      {"points", "query", "integer", "so many points at most, with their extremes"},
                      {"team", "query", "string", "whose host, where several teams have one"}},
       .gives = &json::FieldsOf<api::HostMetrics>()},
      {.method = "POST",
       .pattern = "/api/v1/captures",
       .role = Role::kUpload,
       .answer = With(PostCapture, captures),
       .summary = "profile a running job on all its hosts at once",
       .takes = &json::FieldsOf<api::CaptureRequest>(),
       .gives = &json::FieldsOf<api::CaptureDetail>(),
       .statuses = "201",
       .most_body = 1 << 20,
       .act = "capture.start"},
      {.method = "GET",
       .pattern = "/api/v1/captures",
       .answer = With(ListCaptures, captures),
       .summary = "captures of this server, the newest first; those of an earlier start are gone",
       .gives = &json::FieldsOf<api::CaptureList>()},
      {.method = "GET",
       .pattern = "/api/v1/captures/{id}",
       .answer = With(ShowCapture, captures),
       .summary = "one capture: every host and process, and what is missing",
       .gives = &json::FieldsOf<api::CaptureDetail>()},
      {.method = "DELETE",
       .pattern = "/api/v1/captures/{id}",
       .role = Role::kUpload,
       .answer = With(CancelCapture, captures),
       .summary = "cancel a capture that is underway",
       .gives = &json::FieldsOf<api::CaptureDetail>(),
       .statuses = "202",
       .act = "capture.cancel"},
  };
}

}  // namespace rankscope::service
