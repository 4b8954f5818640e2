#include "insight/evidence/loss/device_idle.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "schemas/steps.h"

namespace rankscope {
namespace {

struct Times {
  std::int64_t all_ns = 0, idle_ns = 0, copy_ns = 0;
};

}  // namespace

DeviceIdle::DeviceIdle(const RuleInput& input) {
  const auto windows = input.Find<TimeBreakdown>();
  if (!windows) return;
  const auto& columns = SchemaOf<TimeBreakdown>();
  std::map<std::pair<std::int64_t, std::int64_t>, Times> by_device;  // rank, device
  for (std::size_t row = 0; row < windows->row_count(); ++row) {
    if (!windows->Bool(row, columns.complete)) continue;
    Times& times = by_device[{windows->Int(row, columns.rank), windows->Int(row, columns.device)}];
    const std::int64_t all = windows->Int(row, columns.duration_ns);
    const std::int64_t copies = windows->Int(row, columns.exposed_copy_ns);
    times.all_ns += all;
    times.copy_ns += copies;
    times.idle_ns += all - windows->Int(row, columns.compute_ns) - copies -
                     windows->Int(row, columns.not_observed_ns);
  }
  double most = -1, most_with_copies = -1;
  for (const auto& [device, times] : by_device) {
    if (times.all_ns <= 0) continue;
    const auto all = static_cast<double>(times.all_ns);
    most = std::max(most, static_cast<double>(times.idle_ns) / all);
    most_with_copies =
        std::max(most_with_copies, static_cast<double>(times.idle_ns + times.copy_ns) / all);
  }
  if (most < 0) return;
  share = std::clamp(most, 0.0, 1.0);
  with_copies = std::clamp(most_with_copies, 0.0, 1.0);
}

}  // namespace rankscope
