#include "analysis/list.h"

#include <algorithm>
#include <array>

#include "analysis/captures.h"
#include "analysis/data_quality.h"
#include "analysis/host_breakdown.h"
#include "analysis/kernels_by_name.h"
#include "analysis/step_times.h"
#include "analysis/time_breakdown.h"

namespace rankscope {

std::span<const Analysis* const> AllAnalyses() {
  static const std::array kAll = {
      &CapturesAnalysis(),      &StepTimesAnalysis(),     &TimeBreakdownAnalysis(),
      &HostBreakdownAnalysis(), &KernelsByNameAnalysis(), &DataQualityAnalysis(),
  };
  return kAll;
}

Result<const Analysis*> FindAnalysis(std::string_view name) {
  std::string known;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->name == name) return analysis;
    known += (known.empty() ? "" : ", ") + analysis->name;
  }
  return Error(StatusCode::kInvalidArgument, "there is no analysis '{}'; there are: {}", name,
               known);
}

}  // namespace rankscope
