#include "agent/captures_json.h"

#include "agent/cpu_profiles.h"
#include "json/json_text.h"

namespace rankscope::agent {
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

}  // namespace

void AppendTexts(std::string& json, const std::vector<std::string>& texts) {
  json += '[';
  for (const std::string& text : texts) {
    if (json.back() != '[') json += ',';
    AppendJsonString(json, text);
  }
  json += ']';
}

std::string ToJson(const std::vector<Process>& processes, Now now) {
  std::string json = "{\"processes\":[";
  for (const Process& process : processes) {
    if (json.back() != '[') json += ',';
    const ProcessInfo& info = process.info;
    json += fmt::format("{{\"pid\":{},\"inside\":[", info.pid);
    for (const std::int32_t pid : process.inside) {
      if (json.back() != '[') json += ',';
      json += std::to_string(pid);
    }
    json +=
        fmt::format("],\"job\":{},\"seen_ms_ago\":{},\"polls\":{},\"recording\":{}", process.job,
                    now.steady_ms - process.last_seen_ms, process.polls, process.is_recording);
    AppendNumber(json, "rank", info.rank);
    AppendNumber(json, "local_rank", info.local_rank);
    AppendNumber(json, "world_size", info.world_size);
    AppendText(json, "command", info.command);
    AppendText(json, "user", info.user);
    AppendText(json, "job_id", info.job_id);
    AppendText(json, "job_name", info.job_name);
    AppendText(json, "container", info.container);
    json += '}';
  }
  return json + "]}";
}

std::string ToJson(const Capture& capture) {
  std::string json = "{\"id\":";
  AppendJsonString(json, capture.id);
  AppendText(json, "source", capture.source);
  json += fmt::format(",\"made_unix_ms\":{},\"over\":{},\"config\":", capture.made_unix_ms,
                      capture.IsOver());
  AppendJsonString(json, capture.config);
  json += ",\"warnings\":";
  AppendTexts(json, capture.warnings);
  json += ",\"members\":[";
  for (const CaptureMember& member : capture.members) {
    if (json.back() != '[') json += ',';
    json += fmt::format("{{\"pid\":{},\"inside\":{},\"state\":\"{}\",\"bytes\":{}", member.pid,
                        member.inside, ToString(member.state), member.bytes);
    AppendNumber(json, "rank", member.rank);
    AppendNumber(json, "world_size", member.world_size);
    AppendText(json, "path", member.path);
    AppendText(json, "file", member.file);
    AppendText(json, "reason", member.reason);
    if (member.cpu) json += ",\"cpu\":" + CpuJson(*member.cpu);
    json += '}';
  }
  return json + "]}";
}

}  // namespace rankscope::agent
