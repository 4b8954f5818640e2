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

void WriteStepTime(json::Writer& writer, const Report& report) {
  std::vector<double> durations = CompleteStepsNs(report);
  if (durations.empty()) {
    writer.Null();
    return;
  }
  const auto count = static_cast<std::int64_t>(durations.size());
  const double sum = std::accumulate(durations.begin(), durations.end(), 0.0);
  writer.BeginObject()
      .Member("mean", sum / static_cast<double>(count))
      .Member("median", MedianOf(durations))
      .Member("complete_steps", count)
      .EndObject();
}

}  // namespace rankscope
