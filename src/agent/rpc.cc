#include "agent/rpc.h"

#include <openssl/crypto.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>

#include "agent/captures_json.h"
#include "agent/telemetry/query.h"
#include "json/json_text.h"
#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

std::string ErrorJson(std::string_view sentence) {
  std::string json = "{\"error\":";
  AppendJsonString(json, sentence);
  return json + "}";
}

Result<std::string> Text(const object& request, std::string_view key, std::string_view without) {
  const auto found = request.at_key(key);
  if (found.error() != simdjson::SUCCESS) return std::string(without);
  std::string_view text;
  if (found.get(text) != simdjson::SUCCESS)
    return Error(StatusCode::kInvalidArgument, "'{}' is to be a text", key);
  return std::string(text);
}

Result<std::int64_t> Integer(const object& request, std::string_view key, std::int64_t without) {
  const auto found = request.at_key(key);
  if (found.error() != simdjson::SUCCESS) return without;
  std::int64_t value = 0;
  if (found.get(value) != simdjson::SUCCESS)
    return Error(StatusCode::kInvalidArgument, "'{}' is to be a whole number", key);
  return value;
}

Result<bool> Flag(const object& request, std::string_view key) {
  const auto found = request.at_key(key);
  if (found.error() != simdjson::SUCCESS) return false;
  bool value = false;
  if (found.get(value) != simdjson::SUCCESS)
    return Error(StatusCode::kInvalidArgument, "'{}' is to be true or false", key);
  return value;
}

Result<Selection> SelectionOf(const object& request) {
  constexpr std::size_t kMostPids = 100'000;
  Selection selection;
  if (request.at_key("job_id").error() == simdjson::SUCCESS) {
    RS_ASSIGN_OR_RETURN(const std::int64_t job, Integer(request, "job_id", 0));
    selection.job = job;
  }
  RS_ASSIGN_OR_RETURN(selection.job_id, Text(request, "job", ""));
  RS_ASSIGN_OR_RETURN(const std::int64_t most, Integer(request, "process_limit", 1000));
  if (most < 0) return Error(StatusCode::kInvalidArgument, "'process_limit' is 0 or more");
  selection.most = static_cast<std::size_t>(most);
  const auto pids = request.at_key("pids");
  if (pids.error() != simdjson::SUCCESS) return selection;
  simdjson::dom::array list;
  if (pids.get(list) != simdjson::SUCCESS)
    return Error(StatusCode::kInvalidArgument, "'pids' is to be a list of numbers");
  for (const element one : list) {
    std::int64_t pid = 0;
    if (one.get(pid) != simdjson::SUCCESS || selection.pids.size() >= kMostPids)
      return Error(StatusCode::kInvalidArgument, "'pids' is to be a list of numbers");
    selection.pids.push_back(pid);
  }
  return selection;
}

void AppendNumbers(std::string& json, const std::vector<std::int64_t>& numbers) {
  json += '[';
  for (const std::int64_t number : numbers) {
    if (json.back() != '[') json += ',';
    json += std::to_string(number);
  }
  json += ']';
}

// As dynolog answers, with what it does not say behind it.
std::string TriggeredJson(const Triggered& triggered) {
  std::string json =
      fmt::format("{{\"activityProfilersBusy\":{},\"activityProfilersTriggered\":", triggered.busy);
  AppendNumbers(json, triggered.triggered);
  json += ",\"eventProfilersBusy\":0,\"eventProfilersTriggered\":[],\"processesMatched\":";
  AppendNumbers(json, triggered.matched);
  json += ",\"id\":";
  AppendJsonString(json, triggered.id);
  json += ",\"warnings\":";
  AppendTexts(json, triggered.warnings);
  return json + "}";
}

Result<std::string> OnDemand(Captures& captures, const object& request, Now now) {
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
Result<std::string> StartCapture(Captures& captures, const object& request, Now now) {
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

Result<std::string> CaptureById(const Captures& captures, const object& request) {
  RS_ASSIGN_OR_RETURN(const std::string id, Text(request, "id", ""));
  const auto capture = captures.Find(id);
  if (!capture) return Error(StatusCode::kNotFound, "there is no capture '{}'", id);
  return ToJson(*capture);
}

Result<std::string> CancelCapture(Captures& captures, const object& request) {
  RS_ASSIGN_OR_RETURN(const std::string id, Text(request, "id", ""));
  return fmt::format("{{\"cancelled\":{}}}", captures.Cancel(id));
}

// {"pid", "values": {"step_time_s": 0.31}}, of a process that asks for work.
Result<std::string> TellMetrics(const RpcSources& sources, const object& request) {
  RS_ASSIGN_OR_RETURN(const std::int64_t pid, Integer(request, "pid", 0));
  object values;
  if (request["values"].get(values) != simdjson::SUCCESS)
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
  for (const auto& [name, one] : values) {
    double value = 0;
    if (one.get(value) != simdjson::SUCCESS)
      return Error(StatusCode::kInvalidArgument, "'{}' is to be a number", name);
    RS_RETURN_IF_ERROR(sources.values.Tell(process->info.pid, labels, name, value));
    ++taken;
  }
  return fmt::format("{{\"taken\":{}}}", taken);
}

// {"duration_s"}
Result<std::string> PauseCounters(const RpcSources& sources, const object& request) {
  constexpr std::int64_t kUnlessSaid = 300;
  constexpr std::int64_t kMostS = 86'400;
  RS_ASSIGN_OR_RETURN(const std::int64_t seconds, Integer(request, "duration_s", kUnlessSaid));
  if (seconds < 0 || seconds > kMostS)
    return Error(StatusCode::kInvalidArgument, "'duration_s' is 0 to {}", kMostS);
  if (sources.pause_counters) sources.pause_counters(seconds);
  return std::string("{\"status\":true}");
}

// {"name", "labels": {"device": "0"}}
Result<std::string> GetMetrics(const RpcSources& sources, const object& request, Now now) {
  RS_ASSIGN_OR_RETURN(const std::string name, Text(request, "name", ""));
  Labels labels;
  object wanted;
  if (request["labels"].get(wanted) == simdjson::SUCCESS) {
    for (const auto& [key, one] : wanted) {
      std::string_view value;
      if (one.get(value) != simdjson::SUCCESS)
        return Error(StatusCode::kInvalidArgument, "label '{}' is to be a text", key);
      labels.emplace_back(std::string(key), std::string(value));
    }
  }
  return MetricsJson(sources.telemetry ? sources.telemetry() : Snapshots(), name, labels, now);
}

}  // namespace

std::string Rpc::Answer(std::string_view text) const {
  const Now now = clock_();
  simdjson::dom::parser parser;
  element root;
  object request;
  if (parser.parse(simdjson::padded_string(text)).get(root) != simdjson::SUCCESS ||
      root.get(request) != simdjson::SUCCESS)
    return ErrorJson("the request is no JSON object");
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
  if (*fn == "getStatus") return "{\"status\":1}";
  if (*fn == "getVersion") return "{\"version\":\"" + options_.version + "\"}";
  if (*fn == "setKinetOnDemandRequest") return answer(OnDemand(sources_.captures, request, now));
  if (*fn == "dcgmProfPause") return answer(PauseCounters(sources_, request));
  if (*fn == "dcgmProfResume") {
    if (sources_.pause_counters) sources_.pause_counters(0);
    return "{\"status\":true}";
  }
  if (*fn == "ping") {
    std::string json = fmt::format("{{\"unix_us\":{},\"host\":", now.unix_us);
    AppendJsonString(json, options_.host);
    return json + "}";
  }
  if (*fn == "listProcesses") return ToJson(sources_.captures.Processes(), now);
  if (*fn == "listTriggers") return ToJson(sources_.decisions.All());
  if (*fn == "getMetrics") return answer(GetMetrics(sources_, request, now));
  if (*fn == "tellMetrics") return answer(TellMetrics(sources_, request));
  if (*fn == "startCapture") return answer(StartCapture(sources_.captures, request, now));
  if (*fn == "getCapture") return answer(CaptureById(sources_.captures, request));
  if (*fn == "cancelCapture") return answer(CancelCapture(sources_.captures, request));
  if (*fn == "listCaptures") {
    std::string json = "{\"captures\":[";
    for (const Capture& capture : sources_.captures.All()) {
      if (json.back() != '[') json += ',';
      json += ToJson(capture);
    }
    return json + "]}";
  }
  return ErrorJson(fmt::format("there is no function '{}'", *fn));
}

}  // namespace rankscope::agent
