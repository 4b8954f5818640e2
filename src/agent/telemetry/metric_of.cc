#include "agent/telemetry/metric_of.h"

#include <map>
#include <string>

#include "base/check.h"

namespace rankscope::agent {
namespace {

// Metrics refer to their names.
struct Named {
  explicit Named(const quantity::Quantity& quantity)
      : name(quantity::PrometheusName(quantity)),
        metric{.name = name, .kind = quantity.kind, .help = quantity.text} {}
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;

  const std::string name;
  const Metric metric;
};

using NamedOf = std::map<const quantity::Quantity*, Named>;

NamedOf MakeAll() {
  NamedOf all;
  for (const auto list : {quantity::All(), quantity::AgentMetrics()}) {
    for (const quantity::Quantity* const one : list) all.try_emplace(one, *one);
  }
  return all;
}

}  // namespace

const Metric& MetricOf(const quantity::Quantity& quantity) {
  static const NamedOf kAll = MakeAll();
  const auto found = kAll.find(&quantity);
  RS_CHECK(found != kAll.end());
  return found->second.metric;
}

}  // namespace rankscope::agent
