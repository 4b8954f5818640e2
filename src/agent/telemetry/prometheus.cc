#include "agent/telemetry/prometheus.h"

#include <algorithm>
#include <unordered_set>

#include "agent/telemetry/selector.h"

namespace rankscope::agent {

std::string PrometheusText(const Snapshots& snapshots) {
  std::vector<const Reading*> readings;
  for (const auto& snapshot : snapshots) {
    for (const Reading& one : snapshot->readings) readings.push_back(&one);
  }
  std::ranges::stable_sort(readings, {}, [](const Reading* one) { return one->metric->name; });
  std::string text;
  std::string_view before;
  std::unordered_set<std::string> seen;
  for (const Reading* one : readings) {
    const Metric& metric = *one->metric;
    if (before != metric.name) {
      fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", metric.name,
                     metric.help, metric.name,
                     metric.kind == quantity::Kind::kCounter ? "counter" : "gauge");
      before = metric.name;
      seen.clear();
    }
    std::string labels = ToText(one->labels);
    const auto [place, is_first] = seen.insert(std::move(labels));
    if (is_first)
      fmt::format_to(std::back_inserter(text), "{}{} {}\n", metric.name, *place, one->value);
  }
  return text;
}

}  // namespace rankscope::agent
