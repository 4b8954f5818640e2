#include "analysis/steps/analyses.h"

#include <vector>

#include "analysis/steps/breakdown_parts.h"
#include "analysis/steps/shares_over_ranks.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

Result<Table> DeriveJobBreakdown(const InputTables& inputs, const JobContext&, const Options&) {
  std::vector<std::string_view> names;
  names.reserve(kParts.size());
  for (const PartWords& part : kParts) names.push_back(part.id);
  std::vector<PartsOfOne> devices;
  for (const auto& [key, device] :
       SumBreakdown(inputs.Of<TimeBreakdown>(), inputs.Of<StepTimes>())) {
    devices.push_back({key.first, device.duration_ns, {device.parts.begin(), device.parts.end()}});
  }
  return SharesTable<JobBreakdown>(names, devices);
}

}  // namespace

const Analysis& JobBreakdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = "job_breakdown",
      .summary = "where the time of the whole job went",
      .definition =
          "rank_breakdown summed over all devices; the ten parts sum to the counted time of all of "
          "them. Shares of single devices show how far they lie apart.",
      .example = "rankscope table job_breakdown traces/",
      .columns = SchemaOf<JobBreakdown>().columns(),
      .inputs = {&TimeBreakdownAnalysis(), &StepTimesAnalysis()},
      .derive = DeriveJobBreakdown,
  };
  return kAnalysis;
}

}  // namespace rankscope
