#include "agent/telemetry/snapshot.h"

#include <algorithm>

namespace rankscope::agent {
namespace {

std::string_view NameOf(const Reading& reading) { return reading.metric->name; }

}  // namespace

std::span<const Reading> Snapshot::Named(std::string_view name) const {
  // Not equal_range, whose result clang 14 cannot compile.
  const auto first = std::ranges::lower_bound(readings, name, {}, NameOf);
  return {first, std::ranges::upper_bound(readings, name, {}, NameOf)};
}

std::shared_ptr<const Snapshot> MakeSnapshot(std::string_view source, std::vector<Reading> readings,
                                             Now now) {
  auto made = std::make_shared<Snapshot>();
  std::ranges::stable_sort(readings, {}, NameOf);
  made->source = source;
  made->steady_ms = now.steady_ms;
  made->unix_ms = now.unix_ms();
  made->readings = std::move(readings);
  return made;
}

}  // namespace rankscope::agent
