#include "report/base/step_time.h"

#include <numeric>

#include "base/median.h"
#include "report/base/table_view.h"
#include "schemas/steps.h"

namespace rankscope {

std::vector<double> CompleteStepsNs(const Report& report) {
  const RowsOf<JobSteps> steps(report);
  std::vector<double> durations;
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    if (steps.Flag(row, steps->complete))
      durations.push_back(*steps.Number(row, steps->duration_ns));
  }
  return durations;
}

std::optional<api::StepTime> StepTimeOf(const Report& report) {
  std::vector<double> durations = CompleteStepsNs(report);
  if (durations.empty()) return std::nullopt;
  const auto count = static_cast<std::int64_t>(durations.size());
  const double sum = std::accumulate(durations.begin(), durations.end(), 0.0);
  return api::StepTime{.mean = sum / static_cast<double>(count),
                       .median = MedianOf(durations),
                       .complete_steps = count};
}

}  // namespace rankscope
