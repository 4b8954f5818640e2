#include "insight/replay_tables/straggler_slowdown.h"

#include "analysis/across/across_fact.h"
#include "replay/fidelity.h"
#include "replay/replay_fact.h"
#include "replay/stragglers.h"
#include "schemas/straggler.h"

namespace rankscope {
namespace {

Result<Table> DeriveStragglerSlowdown(const InputTables&, const JobContext& job, const Options&) {
  if (ReplayedOf(job).fidelity().refused.empty())
    return StragglersOf(ReplayedOf(job), AcrossOf(job));
  const auto& columns = SchemaOf<StragglerSlowdown>();
  auto table = columns.NewTable(std::string(StragglerSlowdown::kName));
  table.Add({columns.scope = "job"});
  return table;
}

}  // namespace

const Analysis& StragglerSlowdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(StragglerSlowdown::kName),
      .size = Size::kDetail,
      .summary = "how much slower stragglers make the job, by step, dp rank, stage and type",
      .definition =
          "The job replayed as it was, and with everybody taking the same for the same: computing "
          "and copying the mean at its place in the step over peers and steps, balanced over the "
          "stages; transfers the median of their op and size; the host the median. The slowdown of "
          "a dp rank, stage or type is what remains when all but its work is so. After "
          "Understanding Stragglers in Large Model Training Using What-if Analysis (OSDI 2025). "
          "PATH may also be a plain table of operations (CSV or Parquet; docs/replay.md).",
      .example = "rankscope table straggler_slowdown traces/",
      .columns = SchemaOf<StragglerSlowdown>().columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = {},
      .derive = DeriveStragglerSlowdown,
  };
  return kAnalysis;
}

}  // namespace rankscope
