#include <cmath>
#include <optional>

#include "insight/findings.h"
#include "replay/replay_fact.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

// Rounded sums are differenced, so that times sum to the step whatever each rounds to.
Result<Table> DeriveContributions(const InputTables& inputs, const JobContext& job,
                                  const Options&) {
  const auto& columns = SchemaOf<Contributions>();
  auto table = columns.NewTable(std::string(Contributions::kName));
  const double base = ReplayedOf(job).fidelity().step_ns;
  if (base <= 0) return table;
  const ViewOf<Findings> findings = inputs.Of<Findings>();
  const auto& of = SchemaOf<Findings>();
  double before_pct = 0;
  std::int64_t before_ns = 0;
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    // What will end the job takes no time yet.
    if (findings.IsNull(row, of.gain_pct)) continue;
    const double pct = findings.Double(row, of.combined_gain_pct);
    const std::int64_t ns = std::llround(pct / 100 * base);
    table.Add({columns.what = findings.At(row, of.what), columns.finding = findings.At(row, of.id),
               columns.ranks = findings.At(row, of.ranks), columns.who = findings.At(row, of.who),
               columns.steps = findings.At(row, of.steps),
               columns.places = findings.At(row, of.places), columns.time_ns = ns - before_ns,
               columns.gain_pct = findings.At(row, of.gain_pct),
               columns.marginal_gain_pct = pct - before_pct,
               columns.gain_method = findings.At(row, of.gain_method)});
    before_pct = pct;
    before_ns = ns;
  }
  table.Add({columns.what = "best", columns.time_ns = std::llround(base) - before_ns});
  return table;
}

}  // namespace

const Analysis& ContributionsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(Contributions::kName),
      .summary = "the mean step, divided into what it takes at best and what each cause adds",
      .definition =
          "Rows sum to the mean complete step of the job (of the recording, where there are no "
          "steps), "
          "to the nanosecond. The findings in their order, each with what the step gets shorter "
          "without "
          "its cause once those above are gone (marginal, by replay; where a finding's gain is a "
          "bound "
          "or an estimate, that share of what is left). Best is the rest: work at the pace of "
          "peers and "
          "of other steps, transfers that nothing could hide, what no change known to rankscope "
          "wins "
          "back.",
      .example = "rankscope table contributions traces/",
      .columns = SchemaOf<Contributions>().columns(),
      .facts = {&ReplayFact()},
      .inputs = {&FindingsAnalysis()},
      .derive = DeriveContributions,
  };
  return kAnalysis;
}

}  // namespace rankscope
