#include "probe/tool/coverage.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::probe {
namespace {

bool Gives(const DeviceSpec& device, std::string_view metric) {
  return std::ranges::find(device.exports, metric, &Export::name) != device.exports.end();
}

}  // namespace

Coverage CoverageOf(const DeviceSpec& device) {
  Coverage coverage{.given = 0, .all = StandardMetrics().size()};
  for (const StandardMetric& one : StandardMetrics()) coverage.given += Gives(device, one.name);
  return coverage;
}

std::string CoverageText(const Spec& spec) {
  std::string text;
  for (const DeviceSpec& device : spec.devices) {
    const Coverage coverage = CoverageOf(device);
    text += fmt::format(
        "{}{} gives {} of {} standard metrics ({:.1f}%)\n", text.empty() ? "" : "\n", device.name,
        coverage.given, coverage.all,
        100.0 * static_cast<double>(coverage.given) / static_cast<double>(coverage.all));
    for (const StandardMetric& one : StandardMetrics())
      text += fmt::format("  {:<4} {:<29} {:<8} {}\n", Gives(device, one.name) ? "yes" : "no",
                          one.name, one.unit.empty() ? "none" : one.unit, one.about);
    for (const Export& one : device.exports)
      if (FindStandard(one.name) == nullptr)
        text += fmt::format("  own  {:<29} {:<8} {}\n", one.name,
                            one.unit.empty() ? "none" : one.unit, one.help);
  }
  return text;
}

}  // namespace rankscope::probe
