#include "analysis/list.h"

#include <algorithm>
#include <vector>

#include "analysis/captures.h"
#include "analysis/data_quality.h"
#include "analysis/host_breakdown.h"
#include "analysis/hta/list.h"
#include "analysis/kernels_by_name.h"
#include "analysis/step_times.h"
#include "analysis/time_breakdown.h"

namespace rankscope {
namespace {

std::vector<const Analysis*> WithHta(std::vector<const Analysis*> analyses) {
  analyses.insert(analyses.end(), hta::HtaAnalyses().begin(), hta::HtaAnalyses().end());
  return analyses;
}

}  // namespace

std::span<const Analysis* const> AllAnalyses() {
  static const std::vector<const Analysis*> kAll = WithHta({
      &CapturesAnalysis(),
      &StepTimesAnalysis(),
      &TimeBreakdownAnalysis(),
      &HostBreakdownAnalysis(),
      &KernelsByNameAnalysis(),
      &DataQualityAnalysis(),
  });
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
