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

void WriteMember(const CaptureMember& member, json::Writer& writer) {
  writer.BeginObject().Member("pid", member.pid).Member("inside", member.inside);
  writer.Member("state", ToString(member.state)).Member("bytes", member.bytes);
  writer.Member("rank", member.rank).Member("world_size", member.world_size);
  WritePlaced(member.placed, writer);
  writer.TextMember("path", member.path);
  writer.TextMember("reason", member.reason);
  if (member.cpu) writer.Key("cpu").Raw(CpuJson(*member.cpu));
  writer.EndObject();
}

}  // namespace

void WritePlaced(const Placed& placed, json::Writer& writer) {
  const auto write = [&](std::string_view key, std::string_view text) {
    if (!text.empty()) writer.Member(key, text);
  };
  write("pod_uid", placed.place.pod_uid);
  write("pod", PodText(placed.names));
  write("container", placed.place.container);
  write("container_name", placed.names.container);
}

api::ReportedProcesses Reported(const std::vector<Process>& processes, Now now) {
  api::ReportedProcesses reported;
  reported.processes.reserve(processes.size());
  for (const Process& process : processes) reported.processes.push_back(Reported(process, now));
  return reported;
}

void WriteCapture(const Capture& capture, json::Writer& writer) {
  writer.BeginObject().Member("id", capture.id).TextMember("source", capture.source);
  writer.Member("made_unix_ms", capture.made_unix_ms).Member("over", capture.IsOver());
  writer.Member("config", capture.config).Member("warnings", capture.warnings);
  writer.Key("members").BeginArray();
  for (const CaptureMember& member : capture.members) WriteMember(member, writer);
  writer.EndArray().EndObject();
}

std::string CapturesJson(const std::vector<Capture>& captures) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("captures").BeginArray();
  for (const Capture& capture : captures) WriteCapture(capture, writer);
  writer.EndArray().EndObject();
  return json;
}

}  // namespace rankscope::agent
