#include "agent/telemetry/sample.h"

#include <cmath>

namespace rankscope::agent {

void Readings::Add(const Metric& metric, Labels labels, double value) {
  if (!std::isfinite(value)) {
    ++unreadable;
    return;
  }
  all.push_back({&metric, std::move(labels), value});
}

}  // namespace rankscope::agent
