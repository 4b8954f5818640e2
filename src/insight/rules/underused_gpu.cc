// underused-gpu: kernels run all the time and leave most of the device idle; memory has room for
// more work at once.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/telemetry/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/telemetry_of_ranks.h"
#include "insight/rules/rules.h"
#include "quantity/quantity.h"

namespace rankscope {
namespace {

std::optional<Cause> FindUnderusedGpu(const RuleInput& input) {
  const auto& telemetry = input.Shared<TelemetryOfRanks>();
  double active = 0, used = 0;
  Cause cause;
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const auto of_units = telemetry.Mean(rank, quantity::kDeviceSmActive.name);
    const auto memory = telemetry.Mean(rank, quantity::kDeviceMemoryUsed.name);
    const auto total = telemetry.Mean(rank, quantity::kDeviceMemoryTotal.name);
    if (!of_units || !memory || !total || *total <= 0) return std::nullopt;
    active += *of_units / static_cast<double>(input.ranks());
    used = std::max(used, *memory / *total);
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"multiprocessors active", PercentText(*of_units)},
         {"memory used", PercentText(*memory / *total)}});
  }
  if (active >= kUnderused || used >= kRoomInMemory) return std::nullopt;
  std::int64_t compute_ns = 0;
  std::vector<NodeId> nodes;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute) return;
    compute_ns += input.graph().nodes()[node].duration_ns;
    nodes.push_back(node);
  });
  const double computes =
      std::min(1.0, input.ShareOfSteps(compute_ns) / static_cast<double>(input.ranks()));
  // What is active is that of all time: kernels themselves leave less idle where devices wait.
  if (computes < kMostlyComputing) return std::nullopt;
  cause.ranks = AllRanks(input);
  TellWhere(input, nodes, cause);
  cause.evidence_table = "telemetry_by_rank";
  cause.gain = computes * (1 - active);
  cause.gain_method = "bound";
  cause.confidence = 0.6;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * input.step_ns());
  cause.what = fmt::format(
      "kernels run {} of the time and use {} of the devices' multiprocessors; {} of memory is free",
      PercentText(computes), PercentText(active), PercentText(1 - used));
  return cause;
}

}  // namespace

const Rule& UnderusedGpuRule() {
  static const Rule kRule{
      .id = "underused-gpu",
      .summary = "the device has room for more work",
      .tier = Tier::kNature,
      .tables = {&TelemetryByRankAnalysis()},
      .needs = RuleNeeds::kUnitsActive,
      .find = FindUnderusedGpu,
      .why =
          "the devices' own counters of active multiprocessors around the recording; the gain is "
          "per "
          "sample, and a bound: with a larger batch the idle ones would work, too",
      .recommendation =
          "A larger batch (scale the learning rate), less gradient accumulation or fewer devices; "
          "for small models several jobs on one device (MIG, MPS).",
      .command = "rankscope table telemetry_by_rank TRACES",
      .shown_in = {"kernels_by_name"},
  };
  return kRule;
}

}  // namespace rankscope
