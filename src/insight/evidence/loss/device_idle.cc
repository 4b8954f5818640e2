#include "insight/evidence/loss/device_idle.h"

#include <algorithm>
#include <map>
#include <utility>

#include "insight/base/cause_tools.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

struct Times {
  std::int64_t all_ns = 0, idle_ns = 0, copy_ns = 0;
};

}  // namespace

DeviceIdle::DeviceIdle(const RuleInput& input)
    : with_copies(input.ranks(), 1), share(input.ranks(), 1) {
  const auto windows = input.Find<TimeBreakdown>();
  if (!windows) return;
  const auto& columns = SchemaOf<TimeBreakdown>();
  const std::map<std::int64_t, std::uint32_t> dense = DenseRanks(input);
  std::map<std::pair<std::uint32_t, std::int64_t>, Times> by_device;  // rank, device
  for (std::size_t row = 0; row < windows->row_count(); ++row) {
    const auto rank = dense.find(windows->Int(row, columns.rank));
    if (rank == dense.end() || !windows->Bool(row, columns.complete)) continue;
    Times& times = by_device[{rank->second, windows->Int(row, columns.device)}];
    const std::int64_t all = windows->Int(row, columns.duration_ns);
    const std::int64_t copies = windows->Int(row, columns.exposed_copy_ns);
    times.all_ns += all;
    times.copy_ns += copies;
    times.idle_ns += all - windows->Int(row, columns.compute_ns) - copies -
                     windows->Int(row, columns.not_observed_ns);
  }
  std::vector<bool> is_known(input.ranks(), false);
  for (const auto& [device, times] : by_device) {
    if (times.all_ns <= 0) continue;
    const auto part = [all = static_cast<double>(times.all_ns)](std::int64_t ns) {
      return std::clamp(static_cast<double>(ns) / all, 0.0, 1.0);
    };
    const std::uint32_t rank = device.first;
    const double least = is_known[rank] ? share[rank] : 0;
    const double least_with_copies = is_known[rank] ? with_copies[rank] : 0;
    share[rank] = std::max(least, part(times.idle_ns));
    with_copies[rank] = std::max(least_with_copies, part(times.idle_ns + times.copy_ns));
    is_known[rank] = true;
  }
}

double DeviceIdle::MostOf(const std::vector<double>& shares, std::span<const std::uint32_t> ranks) {
  double most = 0;
  for (const std::uint32_t rank : ranks) most = std::max(most, shares[rank]);
  return ranks.empty() ? 1 : most;
}

}  // namespace rankscope
