#include "agent/telemetry/sample.h"

#include <cmath>

#include "agent/telemetry/metric_of.h"

namespace rankscope::agent {

void Readings::Add(const quantity::Quantity& quantity, Labels labels, double value) {
  if (!std::isfinite(value)) {
    ++unreadable;
    return;
  }
  all.push_back({&MetricOf(quantity), std::move(labels), value});
}

}  // namespace rankscope::agent
