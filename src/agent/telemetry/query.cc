#include "agent/telemetry/query.h"

#include <algorithm>

#include "agent/telemetry/selector.h"
#include "json/writer.h"

namespace rankscope::agent {

void WriteReading(const Reading& reading, json::Writer& writer) {
  writer.Member("name", reading.metric->name);
  writer.Member("kind", reading.metric->kind == quantity::Kind::kCounter ? "counter" : "gauge");
  writer.Key("labels").BeginObject();
  for (const auto& [key, value] : reading.labels) writer.Member(key, value);
  writer.EndObject().Member("value", reading.value);
}

std::string MetricsJson(const Snapshots& snapshots, std::string_view name, const Labels& labels,
                        Now now) {
  const std::string whole = name.empty() ? "" : WholeName(name);
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("metrics").BeginArray();
  for (const auto& snapshot : snapshots) {
    const std::int64_t age_ms = now.steady_ms - snapshot->steady_ms;
    const std::span<const Reading> readings =
        name.empty() ? std::span<const Reading>(snapshot->readings) : snapshot->Named(whole);
    for (const Reading& reading : readings) {
      const bool is_meant = std::ranges::all_of(labels, [&](const auto& wanted) {
        return std::ranges::find(reading.labels, wanted) != reading.labels.end();
      });
      if (!is_meant) continue;
      writer.BeginObject();
      WriteReading(reading, writer);
      writer.Member("age_ms", age_ms).EndObject();
    }
  }
  writer.EndArray().EndObject();
  return json;
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
