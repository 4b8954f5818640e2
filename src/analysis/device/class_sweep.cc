#include "analysis/device/class_sweep.h"

#include <algorithm>
#include <array>

#include "facts/window_pieces.h"

namespace rankscope {

std::vector<std::map<ClassSet, std::int64_t>> SweepClasses(const TraceFacts& facts,
                                                           const DeviceTime& device,
                                                           const Windows& windows) {
  const RankTrace& trace = facts.trace();
  struct Ending {
    std::int64_t t;
    KernelClass kernel_class;
  };
  // Work comes by its begin; ends are sorted apart, which is cheaper than one sort of both.
  std::vector<Ending> endings;
  endings.reserve(device.work.size());
  for (const Row row : device.work) {
    if (trace.dur_ns[row] > 0) endings.push_back({trace.end_ns(row), facts.classes().ClassOf(row)});
  }
  std::sort(endings.begin(), endings.end(),
            [](const Ending& a, const Ending& b) { return a.t < b.t; });

  std::vector<std::map<ClassSet, std::int64_t>> times(windows.size());
  WindowPieces pieces(windows);
  std::array<std::int64_t, kKernelClassCount> running{};
  ClassSet set = 0;
  std::int64_t since = 0;
  const auto close = [&](std::int64_t t) {
    if (set != 0 && t > since) {
      pieces.Divide({since, t},
                    [&](std::size_t window, std::int64_t length) { times[window][set] += length; });
    }
    since = t;
  };
  std::size_t next_end = 0;
  const auto end_until = [&](std::int64_t t) {
    for (; next_end < endings.size() && endings[next_end].t <= t; ++next_end) {
      const auto index = static_cast<std::size_t>(endings[next_end].kernel_class);
      if (--running[index] == 0) {
        close(endings[next_end].t);
        set &= ~(ClassSet{1} << index);
      }
    }
  };
  for (const Row row : device.work) {
    if (trace.dur_ns[row] <= 0) continue;
    const std::int64_t begin = trace.ts_ns[row];
    end_until(begin);
    const auto index = static_cast<std::size_t>(facts.classes().ClassOf(row));
    if (running[index]++ == 0) {
      close(begin);
      set |= ClassSet{1} << index;
    }
  }
  end_until(INT64_MAX);
  return times;
}

}  // namespace rankscope
