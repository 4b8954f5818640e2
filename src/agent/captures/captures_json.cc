#include "agent/captures/captures_json.h"

#include "agent/captures/cpu_profiles.h"

namespace rankscope::agent {
namespace {

api::ReportedProcess Reported(const Process& process, Now now) {
  const ProcessInfo& info = process.info;
  return {.pid = info.pid,
          .inside = {process.inside.begin(), process.inside.end()},
          .job = process.job,
          .seen_ms_ago = now.steady_ms - process.last_seen_ms,
          .polls = process.polls,
          .recording = process.is_recording,
          .rank = info.rank,
          .local_rank = info.local_rank,
          .world_size = info.world_size,
          .command = info.command,
          .user = info.user,
          .job_id = info.job_id,
          .job_name = info.job_name,
          .container = info.placed.place.container,
          .container_name = info.placed.names.container,
          .pod_uid = info.placed.place.pod_uid,
          .pod = PodText(info.placed.names)};
}

api::AgentCaptureMember Reported(const CaptureMember& member) {
  api::AgentCaptureMember reported{Reported(member.placed)};
  reported.pid = member.pid;
  reported.inside = member.inside;
  reported.state = ToString(member.state);
  reported.bytes = member.bytes;
  reported.rank = member.rank;
  reported.world_size = member.world_size;
  reported.path = member.path;
  reported.reason = member.reason;
  if (member.cpu) reported.cpu = agent::Reported(*member.cpu);
  return reported;
}

}  // namespace

api::ProcessPlace Reported(const Placed& placed) {
  return {.pod_uid = placed.place.pod_uid,
          .pod = PodText(placed.names),
          .container = placed.place.container,
          .container_name = placed.names.container};
}

api::ReportedProcesses Reported(const std::vector<Process>& processes, Now now) {
  api::ReportedProcesses reported;
  reported.processes.reserve(processes.size());
  for (const Process& process : processes) reported.processes.push_back(Reported(process, now));
  return reported;
}

api::AgentCapture Reported(const Capture& capture) {
  api::AgentCapture reported{.id = capture.id,
                             .source = capture.source,
                             .made_unix_ms = capture.made_unix_ms,
                             .over = capture.IsOver(),
                             .config = capture.config,
                             .warnings = capture.warnings,
                             .members = {}};
  for (const CaptureMember& member : capture.members) reported.members.push_back(Reported(member));
  return reported;
}

api::AgentCaptureList Reported(const std::vector<Capture>& captures) {
  api::AgentCaptureList reported;
  for (const Capture& capture : captures) reported.captures.push_back(Reported(capture));
  return reported;
}

}  // namespace rankscope::agent
