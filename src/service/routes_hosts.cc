// Hosts that report here, the jobs that train on them, and captures of those.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "json/json_text.h"
#include "service/agents.h"
#include "service/captures.h"
#include "service/page.h"
#include "service/parts.h"
#include "service/reply.h"
#include "service/request_json.h"
#include "service/route.h"

namespace rankscope::service {
namespace {

void AppendText(std::string& json, std::string_view key, std::string_view text) {
  json += fmt::format(",\"{}\":", key);
  if (text.empty()) {
    json += "null";
  } else {
    AppendJsonString(json, text);
  }
}

void AppendNumber(std::string& json, std::string_view key, std::optional<std::int64_t> number) {
  json += fmt::format(",\"{}\":", key) + (number ? std::to_string(*number) : "null");
}

void AppendValue(std::string& json, std::string_view key, std::optional<double> value) {
  json += fmt::format(",\"{}\":", key);
  if (value) {
    AppendJsonDouble(json, *value);
  } else {
    json += "null";
  }
}

void AppendProcess(std::string& json, const AgentProcess& process) {
  json += fmt::format("{{\"pid\":{},\"recording\":{}", process.pid, process.is_recording);
  AppendNumber(json, "rank", process.rank);
  AppendNumber(json, "world_size", process.world_size);
  AppendText(json, "job", process.job);
  AppendText(json, "job_name", process.job_name);
  AppendText(json, "user", process.user);
  AppendText(json, "command", process.command);
  AppendText(json, "container", process.container);
  json += '}';
}

void AppendDevice(std::string& json, const AgentDevice& device) {
  json += fmt::format("{{\"index\":{}", device.index);
  AppendText(json, "name", device.name);
  AppendText(json, "verdict", device.verdict);
  json += ",\"reasons\":[";
  for (const std::string& reason : device.reasons) {
    if (json.back() != '[') json += ',';
    AppendJsonString(json, reason);
  }
  json += ']';
  AppendValue(json, "busy", device.busy);
  AppendValue(json, "power_watts", device.power_watts);
  AppendValue(json, "temperature_celsius", device.temperature_celsius);
  AppendValue(json, "memory_used_bytes", device.memory_used_bytes);
  AppendValue(json, "memory_total_bytes", device.memory_total_bytes);
  json += '}';
}

void AppendHost(std::string& json, const AgentHost& host) {
  json += "{\"host\":";
  AppendJsonString(json, host.name);
  AppendText(json, "team", host.team);
  AppendText(json, "version", host.version);
  json += fmt::format(",\"here\":{},\"silent_ms\":{}", host.is_here, host.silent_ms);
  const bool is_measured = host.rtt_us.has_value();
  AppendNumber(json, "clock_ahead_us",
               is_measured ? std::optional(host.clock.ahead_us) : std::nullopt);
  AppendNumber(json, "clock_uncertainty_us",
               is_measured ? std::optional(host.clock.uncertainty_us) : std::nullopt);
  json += ",\"processes\":[";
  for (const AgentProcess& process : host.processes) {
    if (json.back() != '[') json += ',';
    AppendProcess(json, process);
  }
  json += "],\"devices\":[";
  for (const AgentDevice& device : host.devices) {
    if (json.back() != '[') json += ',';
    AppendDevice(json, device);
  }
  json += "]}";
}

struct Job {
  std::string name, user;
  std::set<std::string> hosts;
  std::size_t processes = 0;
  std::size_t recording = 0;
  std::optional<std::int64_t> world_size;
};

std::string JobsJson(const std::vector<AgentHost>& hosts) {
  std::map<std::string, Job> jobs;
  for (const AgentHost& host : hosts) {
    if (!host.is_here) continue;
    for (const AgentProcess& process : host.processes) {
      Job& job = jobs[process.job];
      if (job.name.empty()) job.name = process.job_name;
      if (job.user.empty()) job.user = process.user;
      job.hosts.insert(host.name);
      ++job.processes;
      job.recording += process.is_recording ? 1 : 0;
      if (process.world_size) job.world_size = process.world_size;
    }
  }
  std::string json = "[";
  for (const auto& [id, job] : jobs) {
    if (json.back() != '[') json += ',';
    json += "{\"job\":";
    AppendJsonString(json, id);
    AppendText(json, "name", job.name);
    AppendText(json, "user", job.user);
    json += fmt::format(",\"host_count\":{},\"processes\":{},\"recording\":{}", job.hosts.size(),
                        job.processes, job.recording);
    AppendNumber(json, "world_size", job.world_size);
    json += '}';
  }
  return json + "]";
}

http::Reply Hosts(Parts& parts, const Call& call) {
  std::vector<AgentHost> hosts = parts.agents.Hosts();
  std::erase_if(hosts, [&](const AgentHost& one) { return !call.who.SeesTeam(one.team); });
  std::string json = "{\"jobs\":" + JobsJson(hosts) + ",\"hosts\":[";
  const std::string_view job = call.Query("job");
  for (const AgentHost& host : hosts) {
    const bool has_job =
        std::ranges::find(host.processes, job, &AgentProcess::job) != host.processes.end();
    if (!job.empty() && !has_job) continue;
    if (json.back() != '[') json += ',';
    AppendHost(json, host);
  }
  return JsonReply(200, json + "]}");
}

void AppendFloats(std::string& json, std::string_view key, const std::vector<float>& values) {
  json += fmt::format(",\"{}\":[", key);
  for (const float value : values) {
    if (json.back() != '[') json += ',';
    json += std::isnan(value) ? "null" : fmt::format("{:.6g}", value);
  }
  json += ']';
}

// {"host","begin_ms","step_ms","series":[{"name","unit","device","low":[],"high":[]}]}
http::Reply Metrics(Parts& parts, const Call& call) {
  const std::vector<AgentHost> hosts = parts.agents.Hosts();
  const auto host = std::ranges::find(hosts, call.arguments[0], &AgentHost::name);
  if (host == hosts.end() || !call.who.SeesTeam(host->team))
    return ErrorReply(404, "not_found", "no agent of that host reports");
  const std::string_view asked = call.Query("points");
  const auto points =
      asked.empty() ? std::optional<std::int64_t>(HostMetrics::kSteps) : ParseInteger(asked);
  if (!points || *points < 1 || *points > HostMetrics::kSteps)
    return ErrorReply(400, "bad_request", fmt::format("'points' is 1 to {}", HostMetrics::kSteps));
  std::int64_t begin_ms = 0, step_ms = 0;
  const std::vector<HostSeries> found = parts.agents.metrics().Of(
      host->name, call.Query("name"), *points, 1000 * parts.now_s(), begin_ms, step_ms);
  std::string json = "{\"host\":";
  AppendJsonString(json, host->name);
  json += fmt::format(",\"begin_ms\":{},\"step_ms\":{},\"series\":[", begin_ms, step_ms);
  for (const HostSeries& one : found) {
    json += fmt::format("{}{{\"name\":\"{}\",\"unit\":\"{}\",\"device\":{}",
                        json.back() == '[' ? "" : ",", one.name, one.unit,
                        one.device < 0 ? "null" : std::to_string(one.device));
    AppendFloats(json, "low", one.low);
    AppendFloats(json, "high", one.high);
    json += '}';
  }
  return JsonReply(200, json + "]}");
}

http::Reply Report(Parts& parts, const Call& call) {
  return parts.agents.Exchange(call.who, call.body);
}

Result<std::vector<std::int64_t>> Pids(const RequestJson& json) {
  std::vector<std::int64_t> pids;
  if (!json.Has("pids")) return pids;
  RS_ASSIGN_OR_RETURN(const std::string text, json.Raw("pids"));
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  const auto wrong = [] {
    return Error(StatusCode::kInvalidArgument, "'pids' is to be a list of whole numbers");
  };
  if (parser.parse(simdjson::padded_string(text)).get(list)) return wrong();
  for (const simdjson::dom::element one : list) {
    std::int64_t pid = 0;
    if (one.get(pid)) return wrong();
    pids.push_back(pid);
  }
  return pids;
}

Result<bool> Flag(const RequestJson& json, std::string_view name) {
  if (!json.Has(name)) return false;
  RS_ASSIGN_OR_RETURN(const std::string text, json.Raw(name));
  if (text == "true" || text == "false") return text == "true";
  return Error(StatusCode::kInvalidArgument, "'{}' is to be true or false", name);
}

Result<std::string> StartCapture(Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(const RequestJson json,
                      RequestJson::Parse(call.body, {"name", "job", "hosts", "pids", "steps",
                                                     "round_up", "duration_ms", "start_in_ms",
                                                     "most_per_host", "wait_ms", "folder", "shapes",
                                                     "stacks", "memory", "cpu", "snapshot_ms"}));
  capture::CaptureRequest request;
  constexpr std::size_t kMostText = 200;
  const std::pair<std::string_view, std::string*> texts[] = {
      {"name", &request.name}, {"job", &request.job}, {"folder", &request.folder}};
  for (const auto& [name, place] : texts) {
    if (!json.Has(name)) continue;
    RS_ASSIGN_OR_RETURN(*place, json.Text(name, kMostText));
  }
  const std::pair<std::string_view, std::int64_t*> numbers[] = {
      {"steps", &request.steps},
      {"round_up", &request.round_up},
      {"duration_ms", &request.duration_ms},
      {"start_in_ms", &request.start_in_ms},
      {"most_per_host", &request.most_per_host},
      {"wait_ms", &request.wait_ms},
      {"snapshot_ms", &request.snapshot_ms}};
  for (const auto& [name, place] : numbers) {
    RS_ASSIGN_OR_RETURN(const std::optional<std::int64_t> value, json.Integer(name));
    *place = value.value_or(*place);
  }
  const std::pair<std::string_view, bool*> flags[] = {{"shapes", &request.shapes},
                                                      {"stacks", &request.stacks},
                                                      {"memory", &request.memory},
                                                      {"cpu", &request.cpu}};
  for (const auto& [name, place] : flags) {
    RS_ASSIGN_OR_RETURN(*place, Flag(json, name));
  }
  RS_ASSIGN_OR_RETURN(request.pids, Pids(json));
  RS_ASSIGN_OR_RETURN(std::vector<std::string> hosts, json.List("hosts", Agents::kMostHosts));
  RS_ASSIGN_OR_RETURN(const ServerCapture made,
                      parts.captures.Start(parts, call.who, std::move(request), std::move(hosts)));
  return ToJson(made, true);
}

http::Reply PostCapture(Parts& parts, const Call& call) {
  Result<std::string> json = StartCapture(parts, call);
  if (json.ok()) return JsonReply(201, *std::move(json));
  if (json.status().code() == StatusCode::kResource)
    return ErrorReply(429, "too_many", json.status().message());
  return ErrorReply(json.status());
}

http::Reply ListCaptures(Parts& parts, const Call& call) {
  std::string json = "{\"captures\":[";
  for (const ServerCapture& one : parts.captures.All(call.who)) {
    if (json.back() != '[') json += ',';
    json += ToJson(one, false);
  }
  return JsonReply(200, json + "]}");
}

http::Reply CaptureReply(int status, const Result<ServerCapture>& found) {
  if (!found.ok()) return ErrorReply(found.status());
  return JsonReply(status, ToJson(*found, true));
}

http::Reply ShowCapture(Parts& parts, const Call& call) {
  return CaptureReply(200, parts.captures.Find(call.who, call.arguments[0]));
}

http::Reply CancelCapture(Parts& parts, const Call& call) {
  const Status cancelled = parts.captures.Cancel(call.who, call.arguments[0]);
  if (!cancelled.ok()) return ErrorReply(cancelled);
  return CaptureReply(202, parts.captures.Find(call.who, call.arguments[0]));
}

}  // namespace

std::vector<Route> HostRoutes() {
  return {
      {.method = "GET",
       .pattern = "/api/v1/hosts",
       .answer = Hosts,
       .summary = "hosts whose agents report here, with their devices and the processes that can "
                  "be profiled; and the jobs of these",
       .parameters = {{"job", "query", "string", "hosts with processes of this job alone"}}},
      {.method = "POST",
       .pattern = "/api/v1/hosts",
       .role = Role::kUpload,
       .answer = Report,
       .summary = "an agent reports, and waits up to wait_ms for something to do",
       .body =
           R"({"type":"object","properties":{"host":{"type":"string"},)"
           R"("instance":{"type":"string"},"version":{"type":"string"},)"
           R"("wait_ms":{"type":"integer"},"ahead_us":{"type":"integer"},)"
           R"("rtt_us":{"type":"integer"},"processes":{"type":"array","items":{)"
           R"("type":"object","properties":{"pid":{"type":"integer"},"rank":{"type":"integer"},)"
           R"("world_size":{"type":"integer"},"job_id":{"type":"string"},)"
           R"("user":{"type":"string"},"command":{"type":"string"}}}},)"
           R"("devices":{"type":"array","items":{"type":"object","properties":{)"
           R"("index":{"type":"integer"},"name":{"type":"string"},)"
           R"("verdict":{"type":"string"}}}},)"
           R"("samples":{"type":"array","items":{"type":"array","items":{}}},)"
           R"("answers":{"type":"array","items":{"type":"object","properties":{)"
           R"("id":{"type":"integer"},"answer":{"type":"string"}}}}},)"
           R"("required":["host","instance"]})",
       .most_body = Agents::kMostBody},
      {.method = "GET",
       .pattern = "/api/v1/hosts/{host}/metrics",
       .answer = Metrics,
       .summary = "what a host and its devices did over the last hour",
       .parameters = {{"name", "query", "string", "one of the numbers alone, such as device_busy"},
                      {"points", "query", "integer",
                       "so many points at most, with their extremes"}}},
      {.method = "POST",
       .pattern = "/api/v1/captures",
       .role = Role::kUpload,
       .answer = PostCapture,
       .summary = "profile a running job on all its hosts at once",
       .body =
           R"({"type":"object","properties":{"name":{"type":"string"},"job":{"type":"string"},)"
           R"("hosts":{"type":"array","items":{"type":"string"}},)"
           R"("pids":{"type":"array","items":{"type":"integer"}},"steps":{"type":"integer"},)"
           R"("round_up":{"type":"integer"},"duration_ms":{"type":"integer"},)"
           R"("start_in_ms":{"type":"integer"},"most_per_host":{"type":"integer"},)"
           R"("wait_ms":{"type":"integer"},"folder":{"type":"string"},)"
           R"("shapes":{"type":"boolean"},"stacks":{"type":"boolean"},"cpu":{"type":"boolean"},)"
           R"("memory":{"type":"boolean"},"snapshot_ms":{"type":"integer"}}})",
       .statuses = "201",
       .most_body = 1 << 20},
      {.method = "GET",
       .pattern = "/api/v1/captures",
       .answer = ListCaptures,
       .summary = "captures of this server, the newest first; those of an earlier start are gone"},
      {.method = "GET",
       .pattern = "/api/v1/captures/{id}",
       .answer = ShowCapture,
       .summary = "one capture: every host and process, and what is missing"},
      {.method = "DELETE",
       .pattern = "/api/v1/captures/{id}",
       .role = Role::kUpload,
       .answer = CancelCapture,
       .summary = "cancel a capture that is underway",
       .statuses = "202"},
  };
}

}  // namespace rankscope::service
