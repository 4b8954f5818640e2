#include "api/agent_capture.h"

#include "json/fields.h"

namespace rankscope::json {

using api::AgentCapture;
using api::AgentCaptureList;
using api::AgentCaptureMember;
using api::AgentCaptureRequest;
using api::AgentCaptureStart;
using api::AgentSelection;
using api::CpuSampling;
using api::ProcessPlace;

namespace {

constexpr std::size_t kMostAskedPids = 100'000;
constexpr std::size_t kAgentMostText = 4096;
constexpr std::size_t kMostConfigBytes = 20'000;
constexpr std::size_t kMostAgentCaptures = 100'000;

// Left out unless it is set.
Field AgentOption(std::string_view name, std::string_view doc, std::string_view unit = "") {
  return {.name = name, .doc = doc, .unit = unit, .is_left_out = true};
}

Field Pids(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .most_items = kMostAskedPids};
}

Field Warnings() {
  return {.name = "warnings",
          .doc = "a sentence each",
          .most_bytes = kAgentMostText,
          .most_items = kMostAgentCaptures};
}

}  // namespace

template <>
const Fields<AgentSelection>& FieldsOf() {
  using T = AgentSelection;
  static const Fields<T> fields =
      Fields<T>("AgentSelection", "processes of a host that ask its agent for work", Use::kCall)
          .Add<&T::job_id>(AgentOption("job_id", "SLURM_JOB_ID as a number; 0: without a job"))
          .Add<&T::job>(AgentOption("job", "SLURM_JOB_ID or TORCHELASTIC_RUN_ID"))
          .Add<&T::pids>({.name = "pids",
                          .doc = "processes or their ancestors; [] or [0]: all",
                          .most_items = kMostAskedPids,
                          .is_left_out = true})
          .Add<&T::process_limit>(
              {.name = "process_limit", .doc = "processes to record at most", .least = 0});
  return fields;
}

template <>
const Fields<AgentCaptureRequest>& FieldsOf() {
  using T = AgentCaptureRequest;
  static const Fields<T> fields =
      Fields<T>("AgentCaptureRequest", "processes of a host are to record", Use::kCall)
          .Extends<AgentSelection>()
          .Add<&T::id>({.name = "id", .doc = "of the capture; RUN:1 of a run of the server"})
          .Add<&T::source>({.name = "source", .doc = "who asks"})
          .Add<&T::log_file>({.name = "log_file",
                              .doc = "absolute path of the trace; the process adds its pid",
                              .most_bytes = kAgentMostText})
          .Add<&T::iterations>(AgentOption("iterations", "steps to record; 0: a duration"))
          .Add<&T::start_iteration>(
              AgentOption("start_iteration", "the first step; -1: by iteration_roundup"))
          .Add<&T::iteration_roundup>(
              AgentOption("iteration_roundup", "start at the next step that is a multiple of it"))
          .Add<&T::warmup_iterations>(
              AgentOption("warmup_iterations", "steps that the profiler warms up"))
          .Add<&T::duration_ms>({.name = "duration_ms",
                                 .doc = "time to record; also of a process that counts no steps",
                                 .unit = "ms"})
          .Add<&T::start_unix_ms>(AgentOption(
              "start_unix_ms", "begin of a duration by the host's clock; 0: at once", "ms"))
          .Add<&T::warmup_s>(AgentOption("warmup_s", "time that the profiler warms up", "s"))
          .Add<&T::shapes>({.name = "shapes", .doc = "record shapes of inputs"})
          .Add<&T::stacks>({.name = "stacks", .doc = "record Python stacks"})
          .Add<&T::flops>(AgentOption("flops", "record FLOPs of operators"))
          .Add<&T::modules>(AgentOption("modules", "record the hierarchy of modules"))
          .Add<&T::memory>({.name = "memory", .doc = "record allocations"})
          .Add<&T::memory_snapshot>(AgentOption(
              "memory_snapshot", "instead of a trace: the allocator's history over duration_ms"))
          .Add<&T::cpu>({.name = "cpu", .doc = "sample CPU stacks from outside"})
          .Add<&T::snoop_ms>(AgentOption("snoop_ms", "length of a snoop window; 0: none", "ms"))
          .Add<&T::offcpu_ms>(
              AgentOption("offcpu_ms", "length of an offcpu window; 0: none", "ms"));
  return fields;
}

template <>
const Fields<AgentCaptureStart>& FieldsOf() {
  using T = AgentCaptureStart;
  static const Fields<T> fields =
      Fields<T>("AgentCaptureStart", "the processes that an agent has asked to record",
                Use::kReport)
          .Add<&T::busy>({.name = "activityProfilersBusy",
                          .doc = "matching processes that record for another capture"})
          .Add<&T::triggered>(Pids("activityProfilersTriggered", "processes asked to record"))
          .Add<&T::event_busy>({.name = "eventProfilersBusy", .doc = "always 0"})
          .Add<&T::event_triggered>(Pids("eventProfilersTriggered", "always empty"))
          .Add<&T::matched>(Pids("processesMatched", "processes that match the request"))
          .Add<&T::id>({.name = "id", .doc = "of the capture; empty if no process was asked"})
          .Add<&T::warnings>(Warnings());
  return fields;
}

template <>
const Fields<ProcessPlace>& FieldsOf() {
  using T = ProcessPlace;
  static const Fields<T> fields =
      Fields<T>("ProcessPlace", "the pod and the container of a process", Use::kReport)
          .Add<&T::pod_uid>(AgentOption("pod_uid", "UID of its Kubernetes pod"))
          .Add<&T::pod>(AgentOption("pod", "NAMESPACE/NAME of its pod"))
          .Add<&T::container>(AgentOption("container", "id of its container"))
          .Add<&T::container_name>(AgentOption("container_name", "name of its container"));
  return fields;
}

template <>
const Fields<CpuSampling>& FieldsOf() {
  using T = CpuSampling;
  static const Fields<T> fields =
      Fields<T>("CpuSampling", "the CPU sampling of a process", Use::kReport)
          .Add<&T::state>({.name = "state", .doc = "waiting, sampling, done or off"})
          .Add<&T::reason>({.name = "reason", .doc = "what is missing; a sentence each"})
          .Add<&T::samples>({.name = "samples", .doc = "samples of all threads"})
          .Add<&T::lost>({.name = "lost", .doc = "samples that could not be read"})
          .Add<&T::missed>(
              {.name = "missed", .doc = "rounds skipped because the agent got no core"})
          .Add<&T::of_core>({.name = "of_core", .doc = "its cost, as a share of a core"});
  return fields;
}

template <>
const Fields<AgentCaptureMember>& FieldsOf() {
  using T = AgentCaptureMember;
  static const Fields<T> fields =
      Fields<T>("AgentCaptureMember", "a process of a capture on its host", Use::kReport)
          .Extends<ProcessPlace>()
          .Add<&T::pid>({.name = "pid", .doc = "in the agent's namespace"})
          .Add<&T::inside>({.name = "inside", .doc = "pid in its own namespace"})
          .Add<&T::state>({.name = "state", .doc = "waiting, delivered, recording, written, ..."})
          .Add<&T::bytes>({.name = "bytes", .doc = "size of its file", .unit = "bytes"})
          .Add<&T::rank>({.name = "rank", .doc = "its rank in the job"})
          .Add<&T::world_size>({.name = "world_size", .doc = "ranks of the job"})
          .Add<&T::path>({.name = "path",
                          .doc = "of its file, as the process names it",
                          .most_bytes = kAgentMostText,
                          .is_null_when_empty = true})
          .Add<&T::reason>({.name = "reason",
                            .doc = "why it wrote nothing",
                            .most_bytes = kAgentMostText,
                            .is_null_when_empty = true})
          .Add<&T::cpu>(AgentOption("cpu", "of a capture with cpu"));
  return fields;
}

template <>
const Fields<AgentCapture>& FieldsOf() {
  using T = AgentCapture;
  static const Fields<T> fields =
      Fields<T>("AgentCapture", "a capture of an agent", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "RUN:1 of a run of the server"})
          .Add<&T::source>({.name = "source",
                            .doc = "who asked: rpc, capture, or a trigger",
                            .is_null_when_empty = true})
          .Add<&T::made_unix_ms>(
              {.name = "made_unix_ms", .doc = "when, by the host's clock", .unit = "ms"})
          .Add<&T::over>({.name = "over", .doc = "nothing more is expected of any process"})
          .Add<&T::config>({.name = "config",
                            .doc = "as Kineto gets it, lines KEY=VALUE",
                            .most_bytes = kMostConfigBytes})
          .Add<&T::warnings>(Warnings())
          .Add<&T::members>({.name = "members",
                             .doc = "its processes",
                             .most_items = kMostAskedPids,
                             .is_required = true});
  return fields;
}

template <>
const Fields<AgentCaptureList>& FieldsOf() {
  using T = AgentCaptureList;
  static const Fields<T> fields =
      Fields<T>("AgentCaptureList", "the last captures of an agent", Use::kReport)
          .Add<&T::captures>(
              {.name = "captures", .doc = "the oldest first", .most_items = kMostAgentCaptures});
  return fields;
}

}  // namespace rankscope::json
