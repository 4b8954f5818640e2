#include "agent/telemetry/query.h"

#include <algorithm>

#include "agent/telemetry/selector.h"
#include "json/json_text.h"

namespace rankscope::agent {
namespace {

void AppendReading(std::string& json, const Reading& reading, std::int64_t age_ms) {
  if (json.back() != '[') json += ',';
  json += "{\"name\":";
  AppendJsonString(json, reading.metric->name);
  json += reading.metric->kind == MetricKind::kCounter ? ",\"kind\":\"counter\",\"labels\":{"
                                                       : ",\"kind\":\"gauge\",\"labels\":{";
  for (const auto& [key, value] : reading.labels) {
    if (json.back() != '{') json += ',';
    AppendKey(json, key);
    AppendJsonString(json, value);
  }
  json += "},\"value\":";
  AppendJsonDouble(json, reading.value);
  json += fmt::format(",\"age_ms\":{}}}", age_ms);
}

}  // namespace

std::string MetricsJson(const Snapshots& snapshots, std::string_view name, const Labels& labels,
                        Now now) {
  const std::string whole = name.empty() ? "" : WholeName(name);
  std::string json = "{\"metrics\":[";
  for (const auto& snapshot : snapshots) {
    const std::int64_t age_ms = now.steady_ms - snapshot->steady_ms;
    const std::span<const Reading> readings =
        name.empty() ? std::span<const Reading>(snapshot->readings) : snapshot->Named(whole);
    for (const Reading& reading : readings) {
      const bool is_meant = std::ranges::all_of(labels, [&](const auto& wanted) {
        return std::ranges::find(reading.labels, wanted) != reading.labels.end();
      });
      if (is_meant) AppendReading(json, reading, age_ms);
    }
  }
  return json + "]}";
}

Result<std::pair<std::string, std::string>> ParseLabel(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Error(StatusCode::kInvalidArgument, "a label is KEY=VALUE, not '{}'",
                 text.substr(0, 100));
  std::string_view value = text.substr(equals + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return std::pair(std::string(text.substr(0, equals)), std::string(value));
}

}  // namespace rankscope::agent
