#include "report/words/step_words.h"

#include <fmt/core.h>

#include <optional>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

constexpr double kLeastOfStep = 0.1;

// Of all steps and ranks.
std::optional<double> MedianStep(const Report& report) {
  const RowsOf<StepSpread> steps(report);
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    if (!steps.Int(row, steps->step)) return steps.Number(row, steps->median_ns);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> DescribeStepMarks(const Report& report) {
  const RowsOf<StepTimes> steps(report);
  if (steps.rows() == 0) return {};
  const std::string_view by = steps.String(0, steps->marked_by);
  if (by == "period")
    return {"steps follow the program's period: nothing marks them, as ProfilerStep does"};
  if (by == "device") return {"steps are those that the recording states for its devices"};
  if (by == "engine") return {"steps are those that the inference engine marks"};
  if (by == "optimizer")
    return {"steps end with Optimizer.step and are counted: there are no ProfilerStep marks"};
  if (by == "data loader")
    return {
        "steps begin with the data loader's calls and are counted: there are no ProfilerStep "
        "marks"};
  if (by == "annotation") return {"steps are those that the program's annotations number"};
  return {};
}

std::vector<std::string> DescribeHostLead(const Report& report) {
  const auto median_ns = MedianStep(report);
  const RowsOf<StepTimes> steps(report);
  std::optional<std::size_t> most;
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    const auto lag = steps.Int(row, steps->lag_ns);
    if (!lag || !steps.Flag(row, steps->complete)) continue;
    if (!most || *lag > *steps.Int(*most, steps->lag_ns)) most = row;
  }
  if (!median_ns || !most || *steps.Number(*most, steps->lag_ns) < kLeastOfStep * *median_ns)
    return {};
  const auto rank = steps.Int(*most, steps->rank);
  return {
      fmt::format("the host runs up to {} ahead of its device{}: steps end where the devices "
                  "have finished them, not at the host's marks",
                  HumanValue(steps.Number(*most, steps->lag_ns), "ns"),
                  rank && report.ranks.size() > 1 ? fmt::format(" on rank {}", *rank) : "")};
}

}  // namespace rankscope
