#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "hta/analyses.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct CudaKernelLaunchStatsRows : Schema<CudaKernelLaunchStatsRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.cuda_kernel_launch_stats";

  IntColumn correlation = Int("correlation", "", "id that joins call and work");
  IntColumn cpu_duration = Int("cpu_duration", "us", "duration of the call");
  IntColumn gpu_duration = Int("gpu_duration", "us", "duration of the work");
  IntColumn launch_delay = Int("launch_delay", "us", "from the call's end to the work");
};

constexpr std::string_view kLaunches[] = {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                          "runFunction - job_prep_and_submit_for_execution",
                                          "cudaMemcpyAsync", "cudaMemsetAsync"};
constexpr std::size_t kKernelLaunches = 3;  // the first of them

void MakeCudaKernelLaunchStats(const Frame& frame, const Options& options,
                               TableOf<CudaKernelLaunchStatsRows>& table) {
  const auto names = std::span(kLaunches).first(
      FlagOf(options, "include_memory_events") ? std::size(kLaunches) : kKernelLaunches);
  const NameSet launches(frame.trace->strings, names);
  struct Correlated {
    std::size_t hosts = 0;  // joined so far
    std::vector<const Event*> devices;
  };
  boost::unordered_flat_map<std::int64_t, Correlated> work;  // by correlation
  for (const Event& event : frame.events) {
    if (event.correlation != kNone && launches.Contains(frame.trace->name[event.row]))
      work[event.correlation];
  }
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    if (const auto found = work.find(event.correlation); found != work.end())
      found->second.devices.push_back(&event);
  }
  const auto& columns = SchemaOf<CudaKernelLaunchStatsRows>();
  for (const Event& host : frame.events) {
    if (host.on_stream()) continue;
    const auto found = work.find(host.correlation);
    if (found == work.end() || found->second.hosts++ >= kMostHostsOfCorrelation) continue;
    for (const Event* device : found->second.devices) {
      const std::int64_t delay = std::max<std::int64_t>(0, device->ts - host.end());
      table.Add({columns.correlation = host.correlation, columns.cpu_duration = host.dur,
                 columns.gpu_duration = device->dur, columns.launch_delay = delay});
    }
  }
}

}  // namespace

const Analysis& CudaKernelLaunchStats() {
  static const Analysis kAnalysis = JoinedOverRanks<CudaKernelLaunchStatsRows>({
      .size = Size::kDetail,
      .summary = "HTA's get_cuda_kernel_launch_stats: every launch with its kernel and delay",
      .definition =
          "Every pair of a host event and an event with a stream that share the correlation of a "
          "cudaLaunchKernel, cudaLaunchKernelExC, MTIA job submission, cudaMemcpyAsync or "
          "cudaMemsetAsync call. launch_delay = begin of the work less end of the call, at least "
          "0. HTA's runtime_cutoff and launch_delay_cutoff only shape its plots.",
      .example = "rankscope table hta.cuda_kernel_launch_stats traces/ --set ranks=0 --format csv",
      .options = {IncludeMemoryEvents()},
      .job_options = {Ranks()},
      .make = Filling(MakeCudaKernelLaunchStats),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
