#include "probe/check/standard.h"

#include <algorithm>
#include <array>

namespace rankscope::probe {
namespace {

using enum MetricKind;
constexpr std::array kStandard = {
    StandardMetric{"device_utilization", kGauge, "ratio", "share of the time in which it computed"},
    StandardMetric{"memory_bandwidth_utilization", kGauge, "ratio",
                   "share of the time in which its memory was read or written"},
    StandardMetric{"memory_used", kGauge, "bytes", "of its memory, in use"},
    StandardMetric{"memory_total", kGauge, "bytes", "of its memory, all there is"},
    StandardMetric{"power", kGauge, "watts", "that it draws now"},
    StandardMetric{"power_limit", kGauge, "watts", "that it may draw"},
    StandardMetric{"energy", kCounter, "joules", "that it has drawn"},
    StandardMetric{"temperature", kGauge, "celsius", "of its hottest sensor"},
    StandardMetric{"clock", kGauge, "hertz", "of what computes"},
    StandardMetric{"memory_clock", kGauge, "hertz", "of its memory"},
    StandardMetric{"throttled", kFlag, "", "its clocks are held down"},
    StandardMetric{"throttle_reason", kText, "", "why its clocks are held down"},
    StandardMetric{"pcie_rx", kCounter, "bytes", "received over PCI Express"},
    StandardMetric{"pcie_tx", kCounter, "bytes", "sent over PCI Express"},
    StandardMetric{"link_rx", kCounter, "bytes", "received over links between devices"},
    StandardMetric{"link_tx", kCounter, "bytes", "sent over links between devices"},
    StandardMetric{"ecc_corrected", kCounter, "count", "errors of memory that were corrected"},
    StandardMetric{"ecc_uncorrected", kCounter, "count", "errors of memory that were not"},
    StandardMetric{"health", kState, "", "ok, degraded or failed"},
    StandardMetric{"health_reason", kText, "", "why it is not ok"},
    StandardMetric{"model", kText, "", "what its maker calls it"},
    StandardMetric{"serial", kText, "", "its serial number"},
    StandardMetric{"uuid", kText, "", "its unique name"},
    StandardMetric{"firmware", kText, "", "the version of its firmware"},
    StandardMetric{"driver", kText, "", "the version of its driver"},
};
constexpr std::array<std::string_view, 3> kHealth = {"ok", "degraded", "failed"};

}  // namespace

std::span<const StandardMetric> StandardMetrics() { return kStandard; }

const StandardMetric* FindStandard(std::string_view name) {
  const auto found = std::ranges::find(kStandard, name, &StandardMetric::name);
  return found == kStandard.end() ? nullptr : &*found;
}

std::span<const std::string_view> HealthWords() { return kHealth; }

}  // namespace rankscope::probe
