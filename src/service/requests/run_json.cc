#include "service/requests/run_json.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "json/fields.h"

namespace rankscope::service {
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

bool HasSource(const store::Run& run) {
  return std::ranges::find(run.files, store::kSourceFile, &store::RunFile::name) != run.files.end();
}

api::Run ShownOf(const store::Run& run, double progress) {
  api::Run shown{
      .id = run.id,
      .url = "/runs/" + run.id,
      .name = run.name,
      .user = run.user,
      .team = run.team,
      .model = run.model,
      .product = run.product,
      .framework = run.framework,
      .hardware = run.hardware,
      .tags = run.tags,
      .created = IsoTime(run.created_s),
      .changed = IsoTime(run.changed_s),
      .state = std::string(store::ToString(run.state)),
      .reason = run.reason,
      .has_metrics = !run.metrics.empty(),
      .has_source = HasSource(run),
      .snapshots = std::ranges::count_if(run.files, IsMemorySnapshot, &store::RunFile::name)};
  if (run.world_size >= 0) shown.world_size = run.world_size;
  if (run.state == store::RunState::kAnalysing) shown.progress = std::round(1000 * progress) / 1000;
  shown.files = run.files.size() - (shown.has_source ? 1 : 0);
  for (const store::RunFile& file : run.files) shown.bytes += file.bytes;
  if (!run.reports.empty()) {
    shown.version = run.reports.back().version;
    shown.summary.text = run.reports.back().summary;
  }
  for (const store::SetAside& one : run.set_aside)
    shown.set_aside.push_back({.file = one.file, .reason = one.reason});
  return shown;
}

}  // namespace rankscope::service
