#include "insight/replay_tables/replay_fidelity.h"

#include <cmath>

#include "replay/fidelity.h"
#include "replay/replay_fact.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

constexpr double kPercent = 100;

Result<Table> DeriveReplayFidelity(const InputTables&, const JobContext& job, const Options&) {
  const Fidelity& fidelity = ReplayedOf(job).fidelity();
  const auto& columns = SchemaOf<ReplayFidelity>();
  auto table = columns.NewTable(std::string(ReplayFidelity::kName));
  const auto percent = [](std::optional<double> share) {
    return share ? Value(kPercent * *share) : Value(kNull);
  };
  const bool has_steps = fidelity.steps > 0;
  table.Add({columns.steps = static_cast<std::int64_t>(fidelity.steps),
             columns.steps_left_out = static_cast<std::int64_t>(GraphOf(job).steps_left_out()),
             columns.step_ns =
                 has_steps ? Value(std::int64_t{std::llround(fidelity.step_ns)}) : Value(kNull),
             columns.error_pct = has_steps ? percent(fidelity.error) : Value(kNull),
             columns.prediction_error_pct = percent(fidelity.prediction_error),
             columns.spread_pct = percent(fidelity.spread),
             columns.unexplained_pct = has_steps ? percent(fidelity.unexplained) : Value(kNull),
             columns.refused_reason = fidelity.refused.empty()
                                          ? Value(kNull)
                                          : Value(std::string_view(fidelity.refused))});
  return table;
}

}  // namespace

const Analysis& ReplayFidelityAnalysis() {
  static const Analysis kAnalysis = {
      .name = "replay_fidelity",
      .summary = "how far a replay of the job can be trusted",
      .definition =
          "All ranks' dependency graphs are joined where collectives and sends meet, and replayed "
          "on one clock (docs/replay.md). Error: mean of |replayed - recorded step| over the "
          "complete steps. Prediction error: the same of steps whose work takes the median of the "
          "same work in the other steps (of eight steps at most). The replay predicts nothing when "
          "the error is above 5%, when "
          "over 10% of the critical path is unexplained, or when the prediction error is above "
          "both 5% and what the steps themselves differ.",
      .example = "rankscope table replay_fidelity traces/",
      .columns = SchemaOf<ReplayFidelity>().columns(),
      .facts = {&ReplayFact()},
      .inputs = {},
      .derive = DeriveReplayFidelity,
  };
  return kAnalysis;
}

}  // namespace rankscope
