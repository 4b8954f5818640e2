#include "insight/evidence/setting/profiler_cost.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/saturating.h"

namespace rankscope {
namespace {

// Ever so much recorded, the host has work of its own.
constexpr double kLeastLeft = 0.2;
constexpr double kMuchOfSteps = 0.2;

double MuchOf(ViewOf<RecordedWork> work, std::size_t row) {
  return kMuchOfSteps * static_cast<double>(work.Int(row, SchemaOf<RecordedWork>().steps_ns));
}

// By the number of a rank: what recording takes of a step, `times` what it may take but no more
// than it can.
std::map<std::int64_t, double> CostOfSteps(ViewOf<RecordedWork> work, double times) {
  const auto& columns = SchemaOf<RecordedWork>();
  std::map<std::int64_t, double> costs;
  for (std::size_t row = 0; row < work.row_count(); ++row) {
    const auto steps = work.Int(row, columns.complete_steps);
    const auto cost = static_cast<double>(work.Int(row, columns.recording_cost_ns));
    const auto most = static_cast<double>(work.Int(row, columns.recording_cost_most_ns));
    if (steps > 0 && cost > MuchOf(work, row))
      costs[work.Int(row, columns.rank)] =
          std::min(times * cost, most) / static_cast<double>(steps);
  }
  return costs;
}

bool IsOfHost(Work work) { return !IsDevice(work) && work != Work::kDataLoading; }

}  // namespace

bool ProfilerHoldsUpDevices(ViewOf<RecordedWork> work) {
  const auto& columns = SchemaOf<RecordedWork>();
  for (std::size_t row = 0; row < work.row_count(); ++row) {
    const auto cost = static_cast<double>(work.Int(row, columns.recording_cost_ns));
    const auto idle = static_cast<double>(work.Int(row, columns.host_idle_ns));
    if (work.Int(row, columns.complete_steps) > 0 && std::min(cost, idle) > MuchOf(work, row))
      return true;
  }
  return false;
}

std::optional<Scenario> WithoutProfiler(const RuleInput& input, ViewOf<RecordedWork> work,
                                        double times) {
  const std::map<std::int64_t, double> costs = CostOfSteps(work, times);
  if (costs.empty() || input.counted().empty()) return std::nullopt;
  const auto& nodes = input.graph().nodes();
  std::vector<std::int64_t> host_ns(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (!IsOfHost(kind.work)) return;
    std::int64_t& sum = host_ns[input.RankOf(node)];
    AddSaturating(sum, nodes.DurationOf(node));
    AddSaturating(sum, std::max<std::int64_t>(nodes.GapOf(node), 0));
  });
  std::vector<double> left(input.ranks(), 1);
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const auto cost = costs.find(input.across().collectives().ranks()[rank].rank);
    if (cost == costs.end() || host_ns[rank] == 0) continue;
    const double all = cost->second * static_cast<double>(input.counted().size());
    left[rank] = std::clamp(1 - all / static_cast<double>(host_ns[rank]), kLeastLeft, 1.0);
  }
  Scenario without(input.graph());
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const double part = left[input.RankOf(node)];
    if (!IsOfHost(kind.work) || part == 1) return;
    without.Scale(node, static_cast<float>(part));
    const std::int64_t gap = nodes.GapOf(node);
    if (gap > 0) without.SetGap(node, static_cast<std::int64_t>(part * static_cast<double>(gap)));
  });
  return without;
}

}  // namespace rankscope
