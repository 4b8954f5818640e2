#include "report/step_time.h"

#include <numeric>

#include "base/median.h"
#include "json/json_text.h"
#include "report/table_view.h"
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

void AppendStepTimeJson(std::string& out, const Report& report) {
  std::vector<double> durations = CompleteStepsNs(report);
  if (durations.empty()) {
    out += "null";
    return;
  }
  const auto count = static_cast<std::int64_t>(durations.size());
  out += "{\"mean\":";
  AppendJsonDouble(
      out, std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(count));
  out += ",\"median\":";
  AppendJsonDouble(out, MedianOf(durations));
  out += ",\"complete_steps\":";
  AppendJsonInteger(out, count);
  out += '}';
}

}  // namespace rankscope
