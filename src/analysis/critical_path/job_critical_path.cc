#include <map>
#include <vector>

#include "analysis/critical_path/analyses.h"
#include "analysis/steps/analyses.h"
#include "analysis/steps/counted_windows.h"
#include "analysis/steps/shares_over_ranks.h"
#include "base/saturating.h"
#include "schemas/critical_path.h"
#include "schemas/words.h"

namespace rankscope {
namespace {

Result<Table> DeriveJobCriticalPath(const InputTables& inputs, const JobContext&, const Options&) {
  const ViewOf<CriticalPathCauses> path = inputs.Of<CriticalPathCauses>();
  const CountedWindows counted(inputs.Of<StepTimes>());
  const auto& of_path = SchemaOf<CriticalPathCauses>();
  const auto causes = of_path.causes();
  static_assert(kPathParts.size() == causes.size(), "a part of the path is a cause");
  std::vector<std::string_view> names;
  names.reserve(kPathParts.size());
  for (const PathPartWords& part : kPathParts) names.push_back(part.id);
  std::map<std::int64_t, PartsOfOne> ranks;
  for (std::size_t row = 0; row < path.row_count(); ++row) {
    if (!counted.Counts(path, row, WindowColumnsOf(of_path))) continue;
    const std::int64_t rank = path.Int(row, of_path.rank);
    PartsOfOne& one = ranks[rank];
    one.rank = rank;
    one.parts_ns.resize(causes.size());
    AddSaturating(one.whole_ns, path.Int(row, of_path.duration_ns));
    for (std::size_t i = 0; i < causes.size(); ++i)
      AddSaturating(one.parts_ns[i], path.Int(row, causes[i]));
  }
  std::vector<PartsOfOne> ones;
  ones.reserve(ranks.size());
  for (const auto& [number, one] : ranks) {
    if (one.whole_ns > 0) ones.push_back(one);
  }
  return SharesTable<JobCriticalPath>(names, ones);
}

}  // namespace

const Analysis& JobCriticalPathAnalysis() {
  static const Analysis kAnalysis = {
      .name = "job_critical_path",
      .summary = "what decides how long the steps of the job take, by cause",
      .definition =
          "critical_path summed over all ranks: a rank's complete steps, or all of its recording "
          "when it has none. Shares of single ranks show how far they lie apart.",
      .example = "rankscope table job_critical_path traces/",
      .columns = SchemaOf<JobCriticalPath>().columns(),
      .inputs = {&CriticalPathAnalysis(), &StepTimesAnalysis()},
      .derive = DeriveJobCriticalPath,
  };
  return kAnalysis;
}

}  // namespace rankscope
