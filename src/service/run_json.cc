#include "service/run_json.h"

#include <algorithm>
#include <ctime>

#include "json/json_text.h"

namespace rankscope::service {
namespace {

void AppendText(std::string& out, std::string_view name, std::string_view text) {
  out += ",\"";
  out += name;
  out += "\":";
  if (text.empty()) {
    out += "null";
  } else {
    AppendJsonString(out, text);
  }
}

}  // namespace

std::string IsoTime(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "";
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

bool IsMemorySnapshot(std::string_view file) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (file.ends_with(packed)) file.remove_suffix(packed.size());
  }
  return file.ends_with(".pickle");
}

void AppendRunJson(std::string& out, const store::Run& run, double progress) {
  out += "{\"id\":";
  AppendJsonString(out, run.id);
  AppendText(out, "url", "/runs/" + run.id);
  AppendText(out, "name", run.name);
  AppendText(out, "user", run.user);
  AppendText(out, "team", run.team);
  AppendText(out, "model", run.model);
  AppendText(out, "product", run.product);
  AppendText(out, "framework", run.framework);
  AppendText(out, "hardware", run.hardware);
  out += ",\"world_size\":";
  out += run.world_size >= 0 ? std::to_string(run.world_size) : "null";
  out += ",\"tags\":{";
  for (const auto& [name, value] : run.tags) {
    if (out.back() != '{') out += ',';
    AppendJsonString(out, name);
    out += ':';
    AppendJsonString(out, value);
  }
  out += '}';
  AppendText(out, "created", IsoTime(run.created_s));
  AppendText(out, "changed", IsoTime(run.changed_s));
  AppendText(out, "state", store::ToString(run.state));
  out += ",\"progress\":";
  out += run.state == store::RunState::kAnalysing ? fmt::format("{:.3f}", progress) : "null";
  AppendText(out, "reason", run.reason);
  std::uint64_t bytes = 0;
  for (const store::RunFile& file : run.files) bytes += file.bytes;
  out += fmt::format(",\"files\":{},\"bytes\":{},\"version\":", run.files.size(), bytes);
  out += run.reports.empty() ? "null" : std::to_string(run.reports.back().version);
  out += ",\"summary\":";
  const bool has_summary = !run.reports.empty() && !run.reports.back().summary.empty();
  out += has_summary ? run.reports.back().summary : "null";
  out += run.metrics.empty() ? ",\"has_metrics\":false" : ",\"has_metrics\":true";
  out += fmt::format(",\"snapshots\":{}",
                     std::ranges::count_if(run.files, IsMemorySnapshot, &store::RunFile::name));
  out += ",\"set_aside\":[";
  for (const store::SetAside& one : run.set_aside) {
    out += out.back() == '[' ? "{\"file\":" : ",{\"file\":";
    AppendJsonString(out, one.file);
    out += ",\"reason\":";
    AppendJsonString(out, one.reason);
    out += '}';
  }
  out += "]}";
}

}  // namespace rankscope::service
