#include "sim/planted_job.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace rankscope::sim {
namespace {

// The first run of a job knows no step time yet that causes could be measured by; without causes
// it does not matter.
std::int64_t HealthyStepNs(const SimulateOptions& options, const StepSize& size) {
  const JobPlan plan(options, size, 0, 0);
  return RunTogether(plan).MeanStepNs();
}

}  // namespace

PlantedJob::PlantedJob(const SimulateOptions& options, const StepSize& size) {
  const std::size_t causes = options.causes.size();
  if (causes > 0) healthy_step_ns_ = HealthyStepNs(options, size);
  plan_ = std::make_unique<JobPlan>(options, size, kAllCauses, healthy_step_ns_);
  step_without_ns_.resize(causes);

  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i <= causes; i = next++) {
      if (i == 0) {
        run_ = RunTogether(*plan_);
        continue;
      }
      const CauseSet others = kAllCauses & ~(CauseSet{1} << (i - 1));
      const JobPlan without(options, size, others, healthy_step_ns_);
      step_without_ns_[i - 1] = RunTogether(without).MeanStepNs();
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted =
      options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(wanted, causes + 1); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (causes == 0) healthy_step_ns_ = step_ns();
}

}  // namespace rankscope::sim
