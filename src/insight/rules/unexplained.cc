// unexplained: devices run nothing, and nothing that was recorded says why.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/device/analyses.h"
#include "analysis/steps/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/launches.h"
#include "insight/rules/rules.h"
#include "schemas/steps.h"
#include "schemas/unknown_gaps.h"

namespace rankscope {
namespace {

// Of one rank: idle time without a cause, and all time, over the complete steps of its devices; and
// of all such gaps those during which its host was in no op. What it did or waited for in others is
// told by other findings.
struct UnexplainedTime {
  std::int64_t unknown_ns = 0, all_ns = 0;
  std::int64_t gaps_ns = 0, in_no_op_ns = 0;
  double Share() const {
    if (all_ns == 0 || gaps_ns == 0) return 0;
    return static_cast<double>(unknown_ns) / static_cast<double>(all_ns) *
           static_cast<double>(in_no_op_ns) / static_cast<double>(gaps_ns);
  }
};

std::vector<UnexplainedTime> TimeByRank(const RuleInput& input,
                                        const ViewOf<TimeBreakdown>& windows,
                                        const ViewOf<UnknownGaps>& gaps) {
  const auto& columns = SchemaOf<TimeBreakdown>();
  const auto& of_gap = SchemaOf<UnknownGaps>();
  const std::map<std::int64_t, std::uint32_t> dense = DenseRanks(input);
  std::vector<UnexplainedTime> times(input.ranks());
  for (std::size_t row = 0; row < windows.row_count(); ++row) {
    const auto rank = dense.find(windows.Int(row, columns.rank));
    if (rank == dense.end() || !windows.Bool(row, columns.complete)) continue;
    UnexplainedTime& time = times[rank->second];
    time.unknown_ns += windows.Int(row, columns.unknown_ns);
    time.all_ns += windows.Int(row, columns.duration_ns);
  }
  for (std::size_t row = 0; row < gaps.row_count(); ++row) {
    const auto rank = dense.find(gaps.Int(row, of_gap.rank));
    if (rank == dense.end()) continue;
    const std::int64_t ns = gaps.Int(row, of_gap.total_ns);
    times[rank->second].gaps_ns += ns;
    if (gaps.IsNull(row, of_gap.host_op)) times[rank->second].in_no_op_ns += ns;
  }
  return times;
}

// Whether launches of most work of these ranks were recorded: then it is not the host that is
// missing.
bool WereLaunched(const RuleInput& input, const std::vector<std::uint32_t>& ranks) {
  const auto is_one = [&](NodeId node) {
    return input.Counts(node) && std::ranges::binary_search(ranks, input.RankOf(node));
  };
  std::size_t work = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    work += kind.work == Work::kCompute && is_one(node) ? 1 : 0;
  });
  const auto launched =
      std::ranges::count_if(input.Shared<LaunchesOfWork>().all,
                            [&](const Launch& launch) { return is_one(launch.work); });
  return 2 * static_cast<std::size_t>(launched) > work;
}

std::optional<Cause> FindUnexplained(const RuleInput& input) {
  const auto windows = input.Find<TimeBreakdown>();
  const auto gaps = input.Find<UnknownGaps>();
  if (!windows || !gaps) return std::nullopt;
  const std::vector<UnexplainedTime> times = TimeByRank(input, *windows, *gaps);
  Cause cause;
  cause.ranks =
      RanksThat(input, [&](std::uint32_t rank) { return times[rank].Share() >= kLowGain; });
  if (cause.ranks.empty()) return std::nullopt;
  double gain = 0;
  for (const std::uint32_t rank : cause.ranks) {
    const UnexplainedTime& time = times[rank];
    gain += time.Share();
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"idle without a cause", PercentText(time.Share())}});
  }
  const auto count = static_cast<double>(cause.ranks.size());
  cause.evidence_table = std::string(TimeBreakdown::kName);
  cause.gain = gain / count;
  cause.gain_method = "bound";
  cause.confidence = 0.5;
  cause.is_unproven = true;
  cause.is_rest = true;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * input.step_ns());
  cause.what = fmt::format(
      "the device{} of {} run{} nothing for {} a step, {} of it, while no thread that "
      "launches work is in an op",
      cause.ranks.size() == 1 ? "" : "s", WhoText(input, cause.ranks),
      cause.ranks.size() == 1 ? "s" : "", TimeText(static_cast<double>(*cause.lost_ns)),
      PercentText(*cause.gain));
  if (WereLaunched(input, cause.ranks))
    cause.recommendation =
        "The work was launched long before, and did not begin: see what else runs on the device "
        "(nvidia-smi: other processes, MPS, time slices), and on streams that were not recorded; "
        "the gaps with what the host did meanwhile: rankscope table unknown_gaps.";
  return cause;
}

}  // namespace

const Rule& UnexplainedRule() {
  static const Rule kRule{
      .id = "unexplained",
      .summary = "devices run nothing, and nothing recorded says why",
      .tier = Tier::kExposed,
      .takes = Takes::kUnknown,
      .tables = {&TimeBreakdownAnalysis(), &UnknownGapsAnalysis()},
      .needs = RuleNeeds::kDevice,
      .find = FindUnexplained,
      .why =
          "idle time of devices in complete steps, before work whose launch is not in the "
          "recording, or that was launched well before and did not begin, while no thread that "
          "launches work was in an op; no more than that can be won back",
      .recommendation =
          "Record the host as well, with the calls of the device's API, of all threads and "
          "processes that launch work (torch.profiler: ProfilerActivity.CPU beside CUDA; rocprofv3 "
          "--hip-trace; nsys -t cuda,nvtx,osrt).",
      .command = "rankscope table unknown_gaps TRACES",
  };
  return kRule;
}

}  // namespace rankscope
