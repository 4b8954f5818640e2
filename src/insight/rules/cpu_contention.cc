// cpu-contention: the host has too few cores for its threads.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/telemetry/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/contended_hosts.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> ContendedBesidePeers(const RuleInput& input) {
  const std::vector<std::uint32_t>& ranks = input.Shared<ContendedHosts>().slower_ranks;
  if (ranks.empty()) return std::nullopt;
  const PeerSpeed sum = SumOf(input.Shared<SlowHosts>().speeds, ranks);
  Cause cause = CauseOfSlowHosts(input, ranks);
  TellCoreWaits(input, cause);
  cause.what = fmt::format(
      "threads of {} wait for cores: {:.2f}x slower than {} peers at the same ops and launches",
      WhoText(input, ranks), sum.own_ns / sum.typical_ns, ranks.size() == 1 ? "its" : "their");
  return cause;
}

// All wait alike: what their hosts do would take as much less as they wait.
std::optional<Cause> AllWait(const RuleInput& input) {
  const auto& contended = input.Shared<ContendedHosts>();
  const std::vector<std::uint32_t>& ranks = contended.ranks;
  if (ranks.empty()) return std::nullopt;
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  double lost = 0, waits = 0;
  bool is_of_ranks = true;
  for (const std::uint32_t rank : ranks) {
    is_of_ranks = is_of_ranks && contended.waits[rank].is_of_rank;
    waits += contended.waits[rank].share / static_cast<double>(ranks.size());
  }
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    const std::uint32_t rank = input.RankOf(node);
    if (IsDevice(input.graph().KindOf(node).work) ||
        !std::binary_search(ranks.begin(), ranks.end(), rank))
      continue;
    const auto now = static_cast<double>(input.graph().nodes()[node].duration_ns);
    without.SetDuration(node, static_cast<std::int64_t>(now * (1 - contended.waits[rank].share)));
    if (!input.Counts(node)) continue;
    lost += now * contended.waits[rank].share;
    nodes.push_back(node);
  }
  Cause cause;
  cause.ranks = ranks;
  TellWhere(input, nodes, cause);
  for (const std::uint32_t rank : ranks)
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)}});
  TellCoreWaits(input, cause);
  cause.evidence_table = "telemetry_by_rank";
  cause.lost_ns =
      static_cast<std::int64_t>(lost / static_cast<double>(ranks.size() * input.counted().size()));
  cause.gain = input.GainOf(without);
  cause.without = std::move(without);
  // Pressure says that some task of the host waited, not that these did.
  cause.gain_method = is_of_ranks ? "estimate" : "bound";
  cause.confidence = is_of_ranks ? 0.7 : 0.5;
  cause.why = is_of_ranks
                  ? "how long the processes' threads were ready and waited for a core, as the "
                    "scheduler counts it; the gain is a replay in which all that their hosts do "
                    "takes as much less time"
                  : "pressure (PSI): in that share of the time some task of the host was ready and "
                    "waited for a core; the gain is a replay in which all that hosts do takes as "
                    "much less time, which is a bound: others may have waited";
  cause.what = fmt::format("{} of {} wait for cores {} of the time",
                           is_of_ranks ? "threads" : "tasks on the hosts", WhoText(input, ranks),
                           PercentText(waits));
  return cause;
}

std::optional<Cause> FindCpuContention(const RuleInput& input) {
  std::optional<Cause> cause = ContendedBesidePeers(input);
  return cause ? std::move(cause) : AllWait(input);
}

}  // namespace

const Rule& CpuContentionRule() {
  static const Rule kRule{
      .id = "cpu-contention",
      .summary = "the host has too few cores for its threads",
      .tier = Tier::kRoot,
      .takes = Takes::kHostWork,
      .tables = {&TelemetryByRankAnalysis()},
      .needs = RuleNeeds::kCoreWaits,
      .find = FindCpuContention,
      .why =
          "host time inside ops and launch calls is longer than that of the ranks that do the same "
          "work, and around the recording their threads waited for cores",
      .recommendation =
          "Fewer threads: OMP_NUM_THREADS, torch.set_num_threads, num_workers of the loaders "
          "(cores "
          "/ ranks, less some); cores of its own for each rank (--cpu-bind=cores, taskset); in "
          "containers look at the quota (cpu.max).",
      .command = "rankscope table telemetry_by_rank TRACES",
      .shown_in = {"time_breakdown"},
  };
  return kRule;
}

}  // namespace rankscope
