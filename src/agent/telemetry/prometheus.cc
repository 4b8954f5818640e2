#include "agent/telemetry/prometheus.h"

#include <algorithm>
#include <set>

namespace rankscope::agent {
namespace {

void AppendEscaped(std::string& text, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
}

}  // namespace

std::string PrometheusText(std::vector<Reading> readings) {
  std::ranges::stable_sort(readings, {}, [](const Reading& one) { return one.metric->name; });
  std::string text;
  const Metric* before = nullptr;
  std::set<std::string> seen;
  for (const Reading& one : readings) {
    if (before == nullptr || before->name != one.metric->name) {
      text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", one.metric->name, one.metric->help,
                          one.metric->name,
                          one.metric->kind == MetricKind::kCounter ? "counter" : "gauge");
    }
    if (before != nullptr && before->name != one.metric->name) seen.clear();
    before = one.metric;
    std::string key(one.metric->name);
    for (std::size_t i = 0; i < one.labels.size(); ++i) {
      key += fmt::format("{}{}=\"", i == 0 ? '{' : ',', one.labels[i].first);
      AppendEscaped(key, one.labels[i].second);
      key += '"';
    }
    if (!one.labels.empty()) key += '}';
    if (!seen.insert(key).second) continue;
    text += fmt::format("{} {}\n", key, one.value);
  }
  return text;
}

}  // namespace rankscope::agent
