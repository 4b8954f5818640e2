#include "api/capture.h"

#include "json/fields.h"

namespace rankscope::json {

using api::Capture;
using api::CaptureDetail;
using api::CaptureHost;
using api::CaptureList;
using api::CaptureMember;
using api::CaptureRequest;
using api::CaptureSummary;

namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kMostWindowMs = 600'000;
constexpr std::size_t kCaptureMostText = 200;
constexpr std::size_t kCaptureMostHosts = 10'000;
constexpr std::size_t kMostPids = 100'000;

}  // namespace

template <>
const Fields<CaptureRequest>& FieldsOf() {
  using T = CaptureRequest;
  static const Fields<T> fields =
      Fields<T>("CaptureRequest", "a running job is to be profiled on its hosts at once",
                Use::kRequest)
          .Add<&T::name>({.name = "name", .doc = "of the run", .most_bytes = kCaptureMostText})
          .Add<&T::job>({.name = "job",
                         .doc = "SLURM_JOB_ID or TORCHELASTIC_RUN_ID of its processes; any without",
                         .most_bytes = kCaptureMostText})
          .Add<&T::team>({.name = "team",
                          .doc = "whose job, where several teams have one",
                          .most_bytes = kCaptureMostText})
          .Add<&T::hosts>({.name = "hosts",
                           .doc = "whose agents are asked; without, all that have such processes",
                           .most_bytes = 10'000,
                           .most_items = kCaptureMostHosts})
          .Add<&T::pids>({.name = "pids",
                          .doc = "processes, or their ancestors; all without",
                          .most_items = kMostPids})
          .Add<&T::steps>({.name = "steps",
                           .doc = "record so many optimizer steps; 0: a time",
                           .least = 0,
                           .most = 100'000})
          .Add<&T::round_up>(
              {.name = "round_up",
               .doc = "steps are recorded from the next multiple on, the same on all ranks",
               .least = 1,
               .most = 1'000'000})
          .Add<&T::duration_ms>({.name = "duration_ms",
                                 .doc = "record a time, from the same moment on",
                                 .unit = "ms",
                                 .least = 1,
                                 .most = kHourMs})
          .Add<&T::start_in_ms>(
              {.name = "start_in_ms",
               .doc = "until that moment: processes ask every five seconds, and warm up for five",
               .unit = "ms",
               .least = 0,
               .most = kHourMs})
          .Add<&T::most_per_host>(
              {.name = "most_per_host", .doc = "processes of a host", .least = 1, .most = 100'000})
          .Add<&T::wait_ms>({.name = "wait_ms",
                             .doc = "for traces to be written, and again to be here",
                             .unit = "ms",
                             .least = 1,
                             .most = 24 * kHourMs})
          .Add<&T::host_wait_ms>(
              {.name = "host_wait_ms",
               .doc = "a host whose agent has not answered for so long is no longer waited for",
               .unit = "ms",
               .least = 1,
               .most = 24 * kHourMs})
          .Add<&T::analyse_after_ms>(
              {.name = "analyse_after_ms",
               .doc = "analyse what is here so long after the recording, what comes later with a "
                      "new version of the report; 0: when all is here",
               .unit = "ms",
               .least = 0,
               .most = 24 * kHourMs})
          .Add<&T::folder>({.name = "folder",
                            .doc = "where processes write, on their hosts",
                            .most_bytes = kCaptureMostText})
          .Add<&T::shapes>({.name = "shapes", .doc = "record shapes of inputs"})
          .Add<&T::stacks>({.name = "stacks", .doc = "record Python stacks"})
          .Add<&T::memory>({.name = "memory", .doc = "record allocations"})
          .Add<&T::cpu>({.name = "cpu",
                         .doc = "sample the stacks of Python and native functions from outside, at "
                                "a small part of the cost of stacks"})
          .Add<&T::snapshot_ms>(
              {.name = "snapshot_ms",
               .doc = "after the trace record for so long what each process allocates, and take a "
                      "snapshot of its memory; 0: none",
               .unit = "ms",
               .least = 0,
               .most = kHourMs})
          .Add<&T::snoop_ms>(
              {.name = "snoop_ms",
               .doc = "look for so long at what each process allocates, launches and waits for, "
                      "from outside; its host's helper of snoop does that; 0: not",
               .unit = "ms",
               .least = 0,
               .most = kMostWindowMs})
          .Add<&T::offcpu_ms>(
              {.name = "offcpu_ms",
               .doc = "look for so long at where its threads wait while they do not run; 0: not",
               .unit = "ms",
               .least = 0,
               .most = kMostWindowMs})
          .Add<&T::serving>({.name = "serving",
                             .doc = "the run is of a serving program, by what the agents scrape of "
                                    "it, and the traces are its engine's"});
  return fields;
}

template <>
const Fields<CaptureMember>& FieldsOf() {
  using T = CaptureMember;
  static const Fields<T> fields =
      Fields<T>("CaptureMember", "a process that is captured", Use::kReport)
          .Add<&T::pid>({.name = "pid", .doc = "in its own namespace"})
          .Add<&T::rank>({.name = "rank", .doc = "its rank in the job; null: unknown"})
          .Add<&T::state>({.name = "state", .doc = "waiting, delivered, recording, written, ..."})
          .Add<&T::reason>({.name = "reason", .doc = "why it wrote nothing"});
  return fields;
}

template <>
const Fields<CaptureHost>& FieldsOf() {
  using T = CaptureHost;
  static const Fields<T> fields =
      Fields<T>("CaptureHost", "what a host does for a capture", Use::kReport)
          .Add<&T::host>({.name = "host", .doc = "name of the host"})
          .Add<&T::clock_ahead_us>(
              {.name = "clock_ahead_us", .doc = "of the server's clock", .unit = "us"})
          .Add<&T::clock_uncertainty_us>({.name = "clock_uncertainty_us",
                                          .doc = "of clock_ahead_us: half a round trip, and 1 ms",
                                          .unit = "us"})
          .Add<&T::over>({.name = "over", .doc = "nothing more comes"})
          .Add<&T::problem>({.name = "problem", .doc = "not empty: it takes no part"})
          .Add<&T::snapshot_problem>(
              {.name = "snapshot_problem", .doc = "not empty: it takes no snapshots"})
          .Add<&T::members>({.name = "members", .doc = "its processes", .most_items = kMostPids})
          .Add<&T::snapshots>({.name = "snapshots",
                               .doc = "the same, where snapshots are asked for",
                               .most_items = kMostPids});
  return fields;
}

template <>
const Fields<Capture>& FieldsOf() {
  using T = Capture;
  static const Fields<T> fields =
      Fields<T>("Capture", "a capture, and how it is getting on", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "id of the capture"})
          .Add<&T::made>({.name = "made", .doc = "ISO 8601, UTC"})
          .Add<&T::phase>({.name = "phase",
                           .doc = "what it is doing, or how it ended",
                           .words = api::kCapturePhases})
          .Add<&T::reason>({.name = "reason", .doc = "of failing"})
          .Add<&T::name>({.name = "name", .doc = "of the run"})
          .Add<&T::job>({.name = "job", .doc = "SLURM_JOB_ID or TORCHELASTIC_RUN_ID; empty: any"})
          .Add<&T::user>({.name = "user", .doc = "who asked for it"})
          .Add<&T::run>(
              {.name = "run", .doc = "its id, once there is one", .is_null_when_empty = true})
          .Add<&T::steps>({.name = "steps", .doc = "0: a time"})
          .Add<&T::duration_ms>(
              {.name = "duration_ms", .doc = "time to record, without steps", .unit = "ms"})
          .Add<&T::snapshot_ms>(
              {.name = "snapshot_ms", .doc = "0: no snapshots are asked for", .unit = "ms"})
          .Add<&T::asked>({.name = "asked", .doc = "processes"})
          .Add<&T::written>({.name = "written", .doc = "traces"})
          .Add<&T::snapshots>({.name = "snapshots", .doc = "that were written"})
          .Add<&T::arrived>({.name = "arrived", .doc = "traces and snapshots that are in the run"});
  return fields;
}

template <>
const Fields<CaptureSummary>& FieldsOf() {
  using T = CaptureSummary;
  static const Fields<T> fields =
      Fields<T>("CaptureSummary", "a capture, with the number of its hosts alone", Use::kReport)
          .Extends<Capture>()
          .Add<&T::host_count>({.name = "host_count", .doc = "hosts that were asked"});
  return fields;
}

template <>
const Fields<CaptureDetail>& FieldsOf() {
  using T = CaptureDetail;
  static const Fields<T> fields =
      Fields<T>("CaptureDetail", "a capture, with every process", Use::kReport)
          .Extends<Capture>()
          .Add<&T::warnings>({.name = "warnings",
                              .doc = "a sentence each, with the host",
                              .most_items = kCaptureMostHosts})
          .Add<&T::missing>({.name = "missing",
                             .doc = "what did not come, a sentence each; known when it is over",
                             .most_items = kMostPids})
          .Add<&T::hosts>({.name = "hosts",
                           .doc = "the hosts that were asked",
                           .most_items = kCaptureMostHosts});
  return fields;
}

template <>
const Fields<CaptureList>& FieldsOf() {
  using T = CaptureList;
  static const Fields<T> fields =
      Fields<T>("CaptureList", "captures since the server started", Use::kReport)
          .Add<&T::captures>(
              {.name = "captures", .doc = "the newest first", .most_items = kCaptureMostHosts});
  return fields;
}

}  // namespace rankscope::json
