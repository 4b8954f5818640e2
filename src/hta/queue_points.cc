#include "hta/queue_points.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hta/numpy_sort.h"

namespace rankscope::hta {
namespace {

constexpr std::string_view kQueueLaunches[] = {"cudaLaunchKernel",
                                               "cudaLaunchKernelExC",
                                               "cuLaunchKernel",
                                               "cuLaunchKernelEx",
                                               "cudaMemcpyAsync",
                                               "cudaMemsetAsync",
                                               "runFunction - job_prep_and_submit_for_execution",
                                               "hipLaunchKernel",
                                               "hipExtModuleLaunchKernel",
                                               "hipMemsetAsync",
                                               "hipMemcpyAsync",
                                               "hipMemcpyWithStream"};

}  // namespace

std::span<const std::string_view> LaunchNames() { return kQueueLaunches; }

std::vector<QueuePoint> QueuePointsOf(const Frame& frame) {
  const NameSet launches(frame.trace->strings, kQueueLaunches);
  const auto is_launch = [&](const Event& event) {
    return event.partner > 0 && launches.Contains(frame.trace->name[event.row]);
  };
  struct Correlated {
    std::size_t launches = 0;  // joined so far
    std::vector<const Event*> devices;
  };
  boost::unordered_flat_map<std::int64_t, Correlated> work;  // by correlation
  for (const Event& event : frame.events) {
    if (is_launch(event)) work[event.correlation];
  }
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    if (const auto found = work.find(event.correlation); found != work.end())
      found->second.devices.push_back(&event);
  }
  std::vector<QueuePoint> points;
  points.reserve(2 * work.size());
  for (const Event& event : frame.events) {
    if (!is_launch(event)) continue;
    Correlated& correlated = work[event.correlation];
    if (correlated.launches++ >= kMostHostsOfCorrelation) continue;
    for (const Event* device : correlated.devices)
      points.push_back({event.ts, device->stream, 1, &event, device});
  }
  for (const Event& event : frame.events) {
    if (event.on_stream() && work.contains(event.correlation))
      points.push_back({event.ts, event.stream, -1, &event, &event});
  }
  SortByTime(points);  // of all streams together, as HTA does
  std::stable_sort(points.begin(), points.end(),
                   [](const QueuePoint& a, const QueuePoint& b) { return a.stream < b.stream; });
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].stream == points[i - 1].stream) points[i].length += points[i - 1].length;
  }
  return points;
}

}  // namespace rankscope::hta
