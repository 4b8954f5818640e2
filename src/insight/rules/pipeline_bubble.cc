// pipeline-bubble: too few micro-batches keep pipeline stages idle.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/layout/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/pipeline_stages.h"
#include "insight/rules/rules.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

// Smaller products may cost as much as so little of the bubble.
constexpr double kMayBeLost = 0.05;

std::optional<Cause> FindPipelineBubble(const RuleInput& input) {
  const auto& stages = input.Shared<PipelineStages>().of;
  const auto pipeline = input.Find<Pipeline>();
  if (!pipeline || pipeline->row_count() < 2) return std::nullopt;
  // Lanes of one host's ranges are stages without ranks of their own.
  const std::size_t count = stages.empty() ? pipeline->row_count() : stages.size();
  const auto& columns = SchemaOf<Pipeline>();
  std::int64_t batches = 0, chunks = 1;
  double window = 0;
  for (std::size_t row = 0; row < pipeline->row_count(); ++row) {
    batches = std::max(batches, pipeline->Known(row, columns.micro_batches).value_or(0));
    chunks = std::max(chunks, pipeline->Known(row, columns.virtual_stages).value_or(1));
    window = std::max(window, pipeline->Known(row, columns.window_ns).value_or(0));
  }
  const auto p = static_cast<double>(count);
  const auto m = static_cast<double>(batches * chunks);
  if (m <= 0 || m >= kEnoughBatches * p) return std::nullopt;
  // (p - 1) / (m + p - 1) of the window is empty; with kEnoughBatches per stage less is. Smaller
  // micro-batches are less efficient: kPartOfBubble of that is promised.
  const auto ideal = [&](double n) { return (p - 1) / (n + p - 1); };
  const double shorter = 1 - (1 - ideal(m)) / (1 - ideal(kEnoughBatches * p));
  Cause cause;
  cause.ranks = AllRanks(input);
  cause.gain = kPartOfBubble * shorter * std::min(1.0, window / input.step_ns());
  cause.gain_method = "estimate";
  cause.is_unproven = cause.gain < kMayBeLost;
  cause.lost_ns = static_cast<std::int64_t>(ideal(m) * window);
  cause.confidence = 0.7;
  cause.what = fmt::format(
      "{} stages with {} micro-batch{} leave {} of the pipeline's time empty by their schedule",
      count, batches, batches == 1 ? "" : "es", PercentText(ideal(m)));
  cause.recommendation = fmt::format(
      "More and smaller micro-batches ({} or more), an interleaved schedule "
      "(--num-layers-per-virtual-pipeline-stage), or a zero-bubble schedule.",
      static_cast<int>(kEnoughBatches * p));
  return cause;
}

}  // namespace

const Rule& PipelineBubbleRule() {
  static const Rule kRule{
      .id = "pipeline-bubble",
      .summary = "too few micro-batches keep pipeline stages idle",
      .tier = Tier::kNature,
      .takes = Takes::kSchedule,
      .tables = {&PipelineAnalysis()},
      .needs_graph = false,
      .find = FindPipelineBubble,
      .why =
          "passes of all stages; a schedule of one forward, one backward leaves "
          "(p - 1) / (m + p - 1) empty",
      .command = "rankscope table pipeline TRACES",
  };
  return kRule;
}

}  // namespace rankscope
