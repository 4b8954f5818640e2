#include "agent/rpc.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <limits>

#include "agent/captures/captures_json.h"
#include "agent/telemetry/query.h"
#include "json/fields.h"
#include "json/writer.h"
#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

// An object of one member.
template <typename T>
std::string JsonOf(std::string_view name, const T& value) {
  std::string json;
  json::Writer(json).BeginObject().Member(name, value).EndObject();
  return json;
}

std::string ErrorJson(std::string_view sentence) {
  std::string json;
  json::Writer(json).BeginObject().Member("error", sentence).EndObject();
  return json;
}

Result<std::string> Text(const json::Value& request, std::string_view key,
                         std::string_view without) {
  const json::Value value = request[key];
  if (value.IsAbsent()) return std::string(without);
  const auto text = value.Text();
  if (!text) return Error(StatusCode::kInvalidArgument, "'{}' is to be a text", key);
  return std::string(*text);
}

Result<std::int64_t> Integer(const json::Value& request, std::string_view key,
                             std::int64_t without) {
  const json::Value value = request[key];
  if (value.IsAbsent()) return without;
  const auto number = value.Integer();
  if (!number) return Error(StatusCode::kInvalidArgument, "'{}' is to be a whole number", key);
  return *number;
}

Result<bool> Flag(const json::Value& request, std::string_view key) {
  const json::Value value = request[key];
  if (value.IsAbsent()) return false;
  const auto flag = value.Flag();
  if (!flag) return Error(StatusCode::kInvalidArgument, "'{}' is to be true or false", key);
  return *flag;
}

Result<Selection> SelectionOf(const json::Value& request) {
  constexpr std::size_t kMostPids = 100'000;
  Selection selection;
  if (!request["job_id"].IsAbsent()) {
    RS_ASSIGN_OR_RETURN(const std::int64_t job, Integer(request, "job_id", 0));
    selection.job = job;
  }
  RS_ASSIGN_OR_RETURN(selection.job_id, Text(request, "job", ""));
  RS_ASSIGN_OR_RETURN(const std::int64_t most, Integer(request, "process_limit", 1000));
  if (most < 0) return Error(StatusCode::kInvalidArgument, "'process_limit' is 0 or more");
  selection.most = static_cast<std::size_t>(most);
  const json::Value pids = request["pids"];
  if (pids.IsAbsent()) return selection;
  if (!pids.IsArray())
    return Error(StatusCode::kInvalidArgument, "'pids' is to be a list of numbers");
  for (const json::Value& one : pids.Items()) {
    const auto pid = one.Integer();
    if (!pid || selection.pids.size() >= kMostPids)
      return Error(StatusCode::kInvalidArgument, "'pids' is to be a list of numbers");
    selection.pids.push_back(*pid);
  }
  return selection;
}

// As dynolog answers, with what it does not say behind it.
std::string TriggeredJson(const Triggered& triggered) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("activityProfilersBusy", triggered.busy);
  writer.Member("activityProfilersTriggered", triggered.triggered);
  writer.Member("eventProfilersBusy", 0).Key("eventProfilersTriggered").Raw("[]");
  writer.Member("processesMatched", triggered.matched);
  writer.Member("id", triggered.id).Member("warnings", triggered.warnings).EndObject();
  return json;
}

Result<std::string> OnDemand(Captures& captures, const json::Value& request, Now now) {
  RS_ASSIGN_OR_RETURN(const std::string config, Text(request, "config", ""));
  RS_RETURN_IF_ERROR(wire::CheckConfigText(config));
  if (wire::ValueIn(config, "ACTIVITIES_LOG_FILE").value_or("").empty())
    return Error(StatusCode::kInvalidArgument, "'config' has no ACTIVITIES_LOG_FILE");
  RS_ASSIGN_OR_RETURN(Selection selection, SelectionOf(request));
  // dynolog: 0, which is without Slurm, when it is not said.
  if (!selection.job) selection.job = 0;
  return TriggeredJson(captures.Trigger(selection, config, "rpc", now));
}

// {"log_file", "iterations", "duration_ms", ...}: of a capture of ours.
Result<std::string> StartCapture(Captures& captures, const json::Value& request, Now now) {
  wire::CaptureConfig config;
  RS_ASSIGN_OR_RETURN(config.log_file, Text(request, "log_file", ""));
  RS_ASSIGN_OR_RETURN(config.trace_id, Text(request, "id", ""));
  const std::array numbers = {
      std::pair("iterations", &config.iterations),
      std::pair("start_iteration", &config.start_iteration),
      std::pair("iteration_roundup", &config.iteration_roundup),
      std::pair("warmup_iterations", &config.warmup_iterations),
      std::pair("duration_ms", &config.duration_ms),
      std::pair("start_unix_ms", &config.start_unix_ms),
      std::pair("warmup_s", &config.warmup_s),
  };
  for (const auto& [key, value] : numbers) {
    RS_ASSIGN_OR_RETURN(*value, Integer(request, key, *value));
  }
  const std::array flags = {
      std::pair("shapes", &config.shapes), std::pair("stacks", &config.stacks),
      std::pair("flops", &config.flops),   std::pair("modules", &config.modules),
      std::pair("memory", &config.memory), std::pair("memory_snapshot", &config.memory_snapshot),
  };
  for (const auto& [key, value] : flags) {
    RS_ASSIGN_OR_RETURN(*value, Flag(request, key));
  }
  if (config.start_unix_ms != 0 && config.start_unix_ms < now.unix_ms())
    return Error(StatusCode::kInvalidArgument,
                 "the start is {} ms ago by this host's clock: Kineto refuses that",
                 now.unix_ms() - config.start_unix_ms);
  RS_ASSIGN_OR_RETURN(const std::string text, wire::ToConfigText(config));
  RS_ASSIGN_OR_RETURN(const Selection selection, SelectionOf(request));
  RS_ASSIGN_OR_RETURN(const std::string source, Text(request, "source", "rpc"));
  RS_ASSIGN_OR_RETURN(const bool cpu, Flag(request, "cpu"));
  if (cpu && config.memory_snapshot)
    return Error(StatusCode::kInvalidArgument,
                 "'cpu' goes into a trace, and 'memory_snapshot' gives none");
  const Triggered triggered = captures.Trigger(selection, text, source, now);
  if (cpu) captures.SampleCpu(triggered.id);
  return TriggeredJson(triggered);
}

Result<std::string> CaptureById(const Captures& captures, const json::Value& request) {
  RS_ASSIGN_OR_RETURN(const std::string id, Text(request, "id", ""));
  const auto capture = captures.Find(id);
  if (!capture) return Error(StatusCode::kNotFound, "there is no capture '{}'", id);
  std::string json;
  json::Writer writer(json);
  WriteCapture(*capture, writer);
  return json;
}

Result<std::string> CancelCapture(Captures& captures, const json::Value& request) {
  RS_ASSIGN_OR_RETURN(const std::string id, Text(request, "id", ""));
  return JsonOf("cancelled", captures.Cancel(id));
}

// {"pid", "values": {"step_time_s": 0.31}}, of a process that asks for work.
Result<std::string> TellMetrics(const RpcSources& sources, const json::Value& request) {
  RS_ASSIGN_OR_RETURN(const std::int64_t pid, Integer(request, "pid", 0));
  const json::Value values = request["values"];
  if (!values.IsObject())
    return Error(StatusCode::kInvalidArgument, "'values' is to be an object of numbers");
  const std::vector<Process> processes = sources.captures.Processes();
  const auto process = std::ranges::find_if(processes, [&](const Process& one) {
    return one.info.pid == pid || (!one.inside.empty() && one.inside.front() == pid);
  });
  if (process == processes.end())
    return Error(StatusCode::kNotFound, "no process {} asks for work here", pid);
  Labels labels = {{"pid", std::to_string(process->info.pid)}, {"job", GroupOf(*process)}};
  if (process->info.rank) labels.emplace_back("rank", std::to_string(*process->info.rank));
  std::size_t taken = 0;
  for (const auto& [name, one] : values.Members()) {
    const auto value = one.Number();
    if (!value) return Error(StatusCode::kInvalidArgument, "'{}' is to be a number", name);
    RS_RETURN_IF_ERROR(sources.values.Tell(process->info.pid, labels, name, *value));
    ++taken;
  }
  return JsonOf("taken", taken);
}

// {"duration_s"}
Result<std::string> PauseCounters(const RpcSources& sources, const json::Value& request) {
  constexpr std::int64_t kUnlessSaid = 300;
  constexpr std::int64_t kMostS = 86'400;
  RS_ASSIGN_OR_RETURN(const std::int64_t seconds, Integer(request, "duration_s", kUnlessSaid));
  if (seconds < 0 || seconds > kMostS)
    return Error(StatusCode::kInvalidArgument, "'duration_s' is 0 to {}", kMostS);
  if (sources.pause_counters) sources.pause_counters(seconds);
  return JsonOf("status", true);
}

// {"name", "labels": {"device": "0"}}
Result<std::string> GetMetrics(const RpcSources& sources, const json::Value& request, Now now) {
  RS_ASSIGN_OR_RETURN(const std::string name, Text(request, "name", ""));
  Labels labels;
  for (const auto& [key, one] : request["labels"].Members()) {
    const auto value = one.Text();
    if (!value) return Error(StatusCode::kInvalidArgument, "label '{}' is to be a text", key);
    labels.emplace_back(std::string(key), std::string(*value));
  }
  return MetricsJson(sources.telemetry ? sources.telemetry() : Snapshots(), name, labels, now);
}

}  // namespace

std::string Rpc::Answer(std::string_view text) const {
  const Now now = clock_();
  const Result<json::Reader> reader = json::Reader::Parse(text);
  if (!reader.ok() || !reader->root().IsObject()) return ErrorJson("the request is no JSON object");
  const json::Value request = reader->root();
  if (!options_.token.empty()) {
    const Result<std::string> token = Text(request, "token", "");
    const bool is_right = token.ok() && token->size() == options_.token.size() &&
                          CRYPTO_memcmp(token->data(), options_.token.data(), token->size()) == 0;
    if (!is_right) return ErrorJson("the request has no 'token', or not the right one");
  }
  const Result<std::string> fn = Text(request, "fn", "");
  if (!fn.ok()) return ErrorJson(fn.status().message());
  const auto answer = [](const Result<std::string>& json) {
    return json.ok() ? *json : ErrorJson(json.status().message());
  };
  if (*fn == "getStatus") return JsonOf("status", 1);
  if (*fn == "getVersion") return JsonOf("version", options_.version);
  if (*fn == "setKinetOnDemandRequest") return answer(OnDemand(sources_.captures, request, now));
  if (*fn == "dcgmProfPause") return answer(PauseCounters(sources_, request));
  if (*fn == "dcgmProfResume") {
    if (sources_.pause_counters) sources_.pause_counters(0);
    return JsonOf("status", true);
  }
  if (*fn == "ping") {
    std::string json;
    json::Writer writer(json);
    writer.BeginObject().Member("unix_us", now.unix_us).Member("host", options_.host).EndObject();
    return json;
  }
  if (*fn == "listProcesses") return json::ToJson(Reported(sources_.captures.Processes(), now));
  if (*fn == "listTriggers") return ToJson(sources_.decisions.All());
  if (*fn == "getMetrics") return answer(GetMetrics(sources_, request, now));
  if (*fn == "tellMetrics") return answer(TellMetrics(sources_, request));
  if (*fn == "startCapture") return answer(StartCapture(sources_.captures, request, now));
  if (*fn == "getCapture") return answer(CaptureById(sources_.captures, request));
  if (*fn == "cancelCapture") return answer(CancelCapture(sources_.captures, request));
  if (*fn == "listCaptures") return CapturesJson(sources_.captures.All());
  return ErrorJson(fmt::format("there is no function '{}'", *fn));
}

}  // namespace rankscope::agent
