// prefill-stalls: an engine's decodes stand still while a step computes a long prompt beside them.
//
// Prompts have to be computed somewhere, and in smaller pieces they take no less. What can be had
// is that generation does not stand still: what a mixed step takes beyond kStall decode steps is a
// stall, as in `prefill-interference`, which knows the requests. A shorter one is the price of
// batching, reported with low severity where a gap between tokens is over kLongGap of the others.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/steps/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/rules/rules.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

constexpr double kStall = 20;               // decode steps
constexpr double kLongGap = 2;              // likewise
constexpr std::int64_t kEnoughDecodes = 4;  // decodes, to know how long one takes

struct PhaseTimes {
  std::int64_t steps = 0;
  double median_ns = 0, mean_ns = 0, time_share = 0;
};

PhaseTimes TimesOf(ViewOf<StepPhases> phases, StepPhase phase) {
  const auto& columns = SchemaOf<StepPhases>();
  for (std::size_t row = 0; row < phases.row_count(); ++row) {
    if (phases.String(row, columns.phase) != ToString(phase)) continue;
    return {phases.Int(row, columns.steps), phases.Known(row, columns.median_ns).value_or(0),
            phases.Known(row, columns.mean_ns).value_or(0),
            phases.Known(row, columns.time_pct).value_or(0) / 100};
  }
  return {};
}

std::optional<Cause> FindPrefillStalls(const RuleInput& input) {
  const auto phases = input.Find<StepPhases>();
  if (!phases) return std::nullopt;
  const PhaseTimes decode = TimesOf(*phases, StepPhase::kDecode);
  const PhaseTimes mixed = TimesOf(*phases, StepPhase::kMixed);
  if (decode.steps < kEnoughDecodes || decode.median_ns <= 0 || mixed.steps == 0 ||
      mixed.mean_ns <= kLongGap * decode.median_ns)
    return std::nullopt;
  const JobGraph& graph = input.graph();
  Cause cause;
  cause.is_trade = mixed.mean_ns <= kStall * decode.median_ns;
  for (const std::size_t step : input.counted()) {
    if (graph.steps()[step].phase == static_cast<std::int64_t>(StepPhase::kMixed))
      cause.steps.push_back(static_cast<std::uint32_t>(step));
  }
  std::sort(cause.steps.begin(), cause.steps.end());
  std::vector<NodeId> nodes;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kCompute &&
        std::binary_search(cause.steps.begin(), cause.steps.end(), graph.StepOf(node)))
      nodes.push_back(node);
  });
  cause.ranks = AllRanks(input);
  if (!nodes.empty()) TellWhere(input, nodes, cause);
  const double spared = cause.is_trade ? 1 : kStall;
  cause.gain = mixed.time_share * (1 - spared * decode.median_ns / mixed.mean_ns);
  cause.gain_method = "estimate";
  cause.confidence = 0.8;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * input.step_ns());
  cause.evidence_table = std::string(StepPhases::kName);
  const auto add = [&](StepPhase phase, const PhaseTimes& times) {
    cause.evidence.push_back({{"phase", std::string(ToString(phase))},
                              {"steps", fmt::format("{}", times.steps)},
                              {"mean", TimeText(times.mean_ns)},
                              {"time", PercentText(times.time_share)}});
  };
  add(StepPhase::kDecode, decode);
  add(StepPhase::kMixed, mixed);
  cause.what = fmt::format(
      "steps with prompts take {:.3g} times as long as decode steps ({} for {}), {} of the time: "
      "{}",
      mixed.mean_ns / decode.median_ns, TimeText(mixed.mean_ns), TimeText(decode.median_ns),
      PercentText(mixed.time_share),
      cause.is_trade ? "each token generated there comes so much later"
                     : "generation stands still for that long");
  return cause;
}

}  // namespace

const Rule& PrefillStallsRule() {
  static const Rule kRule{
      .id = "prefill-stalls",
      .summary = "generation stands still while long prompts are computed",
      .tier = Tier::kNature,
      .takes = Takes::kMoreWork,
      .tables = {&StepPhasesAnalysis()},
      .find = FindPrefillStalls,
      .why =
          "steps that the engine's marks call mixed (prompts and generation) against those that "
          "decode alone. Over 20 decode steps, what they take beyond these is counted, since "
          "prompts in smaller pieces take no less in all; below, all that they take beyond a "
          "decode step, which the throughput of prompts pays for",
      .recommendation =
          "Give a step fewer tokens of prompts (vLLM: --max-num-batched-tokens 2048 with chunked "
          "prefill; SGLang: --chunked-prefill-size 2048), or run prefills on instances of their "
          "own. The gap between tokens falls; the throughput of tokens hardly changes.",
      .command = "rankscope table step_phases TRACES",
  };
  return kRule;
}

}  // namespace rankscope
