#include "agent/rpc.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "agent/captures/captures_json.h"
#include "agent/telemetry/query.h"
#include "json/fields.h"
#include "json/writer.h"
#include "snoop_file/request.h"
#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

constexpr std::int64_t kLeastWindowMs = 100;

// An object of one member.
template <typename T>
std::string JsonOf(std::string_view name, const T& value) {
  std::string json;
  json::Writer(json).BeginObject().Member(name, value).EndObject();
  return json;
}

// dynolog's clients take its fields for granted, and end where one is missing.
std::string RefusalJson(std::string_view fn, std::string_view sentence) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject();
  if (fn == "setKinetOnDemandRequest") {
    writer.Member("activityProfilersBusy", 0).Key("activityProfilersTriggered").Raw("[]");
    writer.Member("eventProfilersBusy", 0).Key("eventProfilersTriggered").Raw("[]");
    writer.Key("processesMatched").Raw("[]");
  } else if (fn == "getStatus") {
    writer.Member("status", 0);
  } else if (fn == "getVersion") {
    writer.Member("version", "");
  } else if (fn == "dcgmProfPause" || fn == "dcgmProfResume") {
    writer.Member("status", false);
  }
  writer.Member("error", sentence).EndObject();
  return json;
}

// A capture whose id is "RUN:..." belongs to that run of the server: 16 hexadecimal digits.
std::string RunIn(std::string_view id) {
  constexpr std::size_t kLength = 16;
  const bool has_run = id.size() > kLength && id[kLength] == ':' &&
                       id.find_first_not_of("0123456789abcdef") == kLength;
  return has_run ? std::string(id.substr(0, kLength)) : "";
}

// Whose processes the caller reaches: nullopt is all of them.
std::optional<uid_t> ReachOf(const RpcCaller& caller) {
  constexpr uid_t kRoot = 0;
  return caller.is_trusted || caller.uid == kRoot ? std::nullopt : caller.uid;
}

bool Reaches(const RpcCaller& caller, const Capture& capture) {
  const std::optional<uid_t> reach = ReachOf(caller);
  return !reach || std::ranges::all_of(capture.members, [&](const CaptureMember& member) {
    return member.writer.uid == *reach;
  });
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

Selection SelectionOf(const api::AgentSelection& asked, const RpcCaller& caller) {
  return {.job = asked.job_id,
          .job_id = asked.job,
          .pids = asked.pids,
          .uid = ReachOf(caller),
          .most = static_cast<std::size_t>(asked.process_limit)};
}

// As dynolog answers, with what it does not say behind it.
std::string TriggeredJson(const Triggered& triggered) {
  return json::ToJson(api::AgentCaptureStart{.busy = triggered.busy,
                                             .triggered = triggered.triggered,
                                             .event_busy = 0,
                                             .event_triggered = {},
                                             .matched = triggered.matched,
                                             .id = triggered.id,
                                             .warnings = triggered.warnings});
}

Result<Triggered> OnDemand(Captures& captures, const json::Value& request, const RpcCaller& caller,
                           Now now) {
  RS_ASSIGN_OR_RETURN(const std::string config, Text(request, "config", ""));
  RS_RETURN_IF_ERROR(wire::CheckConfigText(config));
  if (wire::ValueIn(config, "ACTIVITIES_LOG_FILE").value_or("").empty())
    return Error(StatusCode::kInvalidArgument, "'config' has no ACTIVITIES_LOG_FILE");
  api::AgentSelection asked;
  RS_RETURN_IF_ERROR(json::FieldsOf<api::AgentSelection>().Read(request, asked));
  // dynolog: 0, which is without Slurm, when it is not said.
  if (!asked.job_id) asked.job_id = 0;
  return captures.Trigger(SelectionOf(asked, caller), config, "rpc", now, {.keeps_files = true});
}

wire::CaptureConfig ConfigOf(const api::AgentCaptureRequest& asked) {
  return {.log_file = asked.log_file,
          .iterations = asked.iterations,
          .start_iteration = asked.start_iteration,
          .iteration_roundup = asked.iteration_roundup,
          .warmup_iterations = asked.warmup_iterations,
          .duration_ms = asked.duration_ms,
          .start_unix_ms = asked.start_unix_ms,
          .warmup_s = asked.warmup_s,
          .shapes = asked.shapes,
          .stacks = asked.stacks,
          .flops = asked.flops,
          .modules = asked.modules,
          .memory = asked.memory,
          .memory_snapshot = asked.memory_snapshot,
          .trace_id = asked.id};
}

Status CheckWindow(std::string_view name, std::int64_t length_ms) {
  if (length_ms == 0 || (length_ms >= kLeastWindowMs && length_ms <= snoop_file::kMostWindowMs))
    return OkStatus();
  return Error(StatusCode::kInvalidArgument, "'{}' is {} to {}, or 0", name, kLeastWindowMs,
               snoop_file::kMostWindowMs);
}

// What the declaration of its fields cannot say.
Status CheckCapture(const api::AgentCaptureRequest& asked, Now now) {
  if (asked.start_unix_ms != 0 && asked.start_unix_ms < now.unix_ms())
    return Error(StatusCode::kInvalidArgument,
                 "the start is {} ms ago by this host's clock: Kineto refuses that",
                 now.unix_ms() - asked.start_unix_ms);
  if (asked.cpu && asked.memory_snapshot)
    return Error(StatusCode::kInvalidArgument,
                 "'cpu' goes into a trace, and 'memory_snapshot' gives none");
  RS_RETURN_IF_ERROR(CheckWindow("snoop_ms", asked.snoop_ms));
  RS_RETURN_IF_ERROR(CheckWindow("offcpu_ms", asked.offcpu_ms));
  if ((asked.snoop_ms > 0 || asked.offcpu_ms > 0) && asked.memory_snapshot)
    return Error(StatusCode::kInvalidArgument,
                 "windows of snoop go with a trace, and 'memory_snapshot' gives none");
  return OkStatus();
}

Result<Triggered> StartCapture(Captures& captures, const json::Value& request,
                               const RpcCaller& caller, Now now) {
  api::AgentCaptureRequest asked;
  RS_RETURN_IF_ERROR(json::FieldsOf<api::AgentCaptureRequest>().Read(request, asked));
  RS_RETURN_IF_ERROR(CheckCapture(asked, now));
  RS_ASSIGN_OR_RETURN(const std::string text, wire::ToConfigText(ConfigOf(asked)));
  const std::string run = RunIn(asked.id);
  // The agent brings it there with rights of its own.
  if (!run.empty() && ReachOf(caller))
    return Error(StatusCode::kInvalidArgument,
                 "'id' names a run of the server: that takes the agent's token, or the server "
                 "asks itself (rankscope capture --server URL --job JOB)");
  const WindowLengths windows{.snoop_ms = asked.snoop_ms, .offcpu_ms = asked.offcpu_ms};
  Triggered triggered =
      captures.Trigger(SelectionOf(asked, caller), text, asked.source, now, {.run = run});
  if (asked.cpu) captures.SampleCpu(triggered.id);
  if (windows.any()) captures.LookFromOutside(triggered.id, windows);
  return triggered;
}

// Of others it is as if there were none.
Result<Capture> CaptureById(const Captures& captures, const json::Value& request,
                            const RpcCaller& caller) {
  RS_ASSIGN_OR_RETURN(const std::string id, Text(request, "id", ""));
  std::optional<Capture> capture = captures.Find(id);
  if (!capture || !Reaches(caller, *capture))
    return Error(StatusCode::kNotFound, "there is no capture '{}'", id);
  return *std::move(capture);
}

Result<std::string> GetCapture(const Captures& captures, const json::Value& request,
                               const RpcCaller& caller) {
  RS_ASSIGN_OR_RETURN(const Capture capture, CaptureById(captures, request, caller));
  return json::ToJson(Reported(capture));
}

std::string CapturesOf(const Captures& captures, const RpcCaller& caller) {
  std::vector<Capture> all = captures.All();
  std::erase_if(all, [&](const Capture& one) { return !Reaches(caller, one); });
  return json::ToJson(Reported(all));
}

std::vector<Process> ProcessesOf(const Captures& captures, const RpcCaller& caller) {
  const std::optional<uid_t> reach = ReachOf(caller);
  std::vector<Process> all = captures.Processes();
  if (reach) std::erase_if(all, [&](const Process& one) { return one.uid != *reach; });
  return all;
}

// {"pid", "values": {"step_time_s": 0.31}}, of a process that asks for work.
Result<std::string> TellMetrics(const RpcSources& sources, const json::Value& request,
                                const RpcCaller& caller) {
  RS_ASSIGN_OR_RETURN(const std::int64_t pid, Integer(request, "pid", 0));
  const json::Value values = request["values"];
  if (!values.IsObject())
    return Error(StatusCode::kInvalidArgument, "'values' is to be an object of numbers");
  const std::vector<Process> processes = ProcessesOf(sources.captures, caller);
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
  return JsonOf("status", sources.pause_counters && sources.pause_counters(seconds));
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

void Rpc::Audit(std::string_view fn, const Triggered& triggered, const RpcCaller& caller) const {
  if (!options_.said) return;
  std::string pids;
  for (const std::int64_t pid : triggered.triggered) pids += fmt::format(" {}", pid);
  options_.said(fmt::format("rpc: {} asks for {}: {}", caller.name, fn,
                            triggered.id.empty() ? "no process is meant, or all are busy"
                                                 : "capture " + triggered.id + " of pids" + pids));
}

Result<std::string> Rpc::Do(std::string_view fn, const json::Value& request,
                            const RpcCaller& caller) const {
  const Now now = clock_();
  Captures& captures = sources_.captures;
  const auto said = [&] {
    if (options_.said) options_.said(fmt::format("rpc: {} asks for {}", caller.name, fn));
  };
  if (fn == "getStatus") return JsonOf("status", 1);
  if (fn == "getVersion") return JsonOf("version", options_.version);
  if (fn == "setKinetOnDemandRequest") {
    RS_ASSIGN_OR_RETURN(const Triggered triggered, OnDemand(captures, request, caller, now));
    Audit(fn, triggered, caller);
    return TriggeredJson(triggered);
  }
  if (fn == "startCapture") {
    RS_ASSIGN_OR_RETURN(const Triggered triggered, StartCapture(captures, request, caller, now));
    Audit(fn, triggered, caller);
    return TriggeredJson(triggered);
  }
  if (fn == "cancelCapture") {
    RS_ASSIGN_OR_RETURN(const Capture capture, CaptureById(captures, request, caller));
    said();
    return JsonOf("cancelled", captures.Cancel(capture.id));
  }
  if (fn == "dcgmProfPause") {
    said();
    return PauseCounters(sources_, request);
  }
  if (fn == "dcgmProfResume") {
    said();
    return JsonOf("status", sources_.pause_counters && sources_.pause_counters(0));
  }
  if (fn == "ping") {
    std::string json;
    json::Writer writer(json);
    writer.BeginObject().Member("unix_us", now.unix_us).Member("host", options_.host).EndObject();
    return json;
  }
  if (fn == "listProcesses") return json::ToJson(Reported(ProcessesOf(captures, caller), now));
  if (fn == "listTriggers") return ToJson(sources_.decisions.All());
  if (fn == "getMetrics") return GetMetrics(sources_, request, now);
  if (fn == "tellMetrics") return TellMetrics(sources_, request, caller);
  if (fn == "getCapture") return GetCapture(captures, request, caller);
  if (fn == "listCaptures") return CapturesOf(captures, caller);
  return Error(StatusCode::kNotFound, "there is no function '{}'", fn);
}

std::string Rpc::Answer(std::string_view text, const RpcCaller& caller) const {
  const Result<json::Reader> reader = json::Reader::Parse(text);
  if (!reader.ok() || !reader->root().IsObject())
    return RefusalJson("", "the request is no JSON object");
  const json::Value request = reader->root();
  const Result<std::string> fn = Text(request, "fn", "");
  if (!fn.ok()) return RefusalJson("", fn.status().message());
  RpcCaller known = caller;
  if (!options_.token.empty()) {
    const Result<std::string> token = Text(request, "token", "");
    known.is_trusted = token.ok() && token->size() == options_.token.size() &&
                       CRYPTO_memcmp(token->data(), options_.token.data(), token->size()) == 0;
    if (!known.is_trusted)
      return RefusalJson(*fn, "the request has no 'token', or not the right one");
  }
  if (!known.is_trusted && !known.uid) {
    return RefusalJson(*fn, fmt::format("nobody knows who asks: {}; rpc.trust_loopback = true "
                                        "takes everybody on this host",
                                        known.problem));
  }
  const Result<std::string> answer = Do(*fn, request, known);
  return answer.ok() ? *answer : RefusalJson(*fn, answer.status().message());
}

}  // namespace rankscope::agent
