// Common code of rules: sums per rank, lists of ranks and steps, words for numbers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/number_set.h"
#include "insight/base/cause.h"
#include "insight/base/rule_input.h"
#include "schemas/captures.h"

namespace rankscope {

// Kernels bound by computing rather than by memory, by their class.
bool IsBoundByComputing(const NodeKind& kind);

// Whether any rank's recording has device work.
bool HasDeviceWork(const JobGraph& graph);

// Whether device work is completely recorded on all ranks, by the verdicts on the recordings.
bool KnowsAllDevices(ViewOf<Recording> recording);
// The same, ignoring ranks without any device recording next to others: AcrossFacts leaves these
// out, or only their hosts are in the graph. If false, no cause that rests on waits of devices is
// reported.
bool KnowsDevices(ViewOf<Recording> recording, const JobGraph& graph);

// Whether the recordings have enough work to find causes, by the same verdicts.
bool IsEnough(ViewOf<Recording> recording);

// "12.3 ms", three significant digits.
std::string TimeText(double ns);
std::string PercentText(double share);  // of a share: "12.3%"

// The ranks for which `is_one` holds, ascending.
template <typename Predicate>
std::vector<std::uint32_t> RanksThat(const RuleInput& input, const Predicate& is_one) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    if (is_one(rank)) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<std::uint32_t> AllRanks(const RuleInput& input);

// The dense number of each rank by its own, for rows of tables.
std::map<std::int64_t, std::uint32_t> DenseRanks(const RuleInput& input);

// "in every step"; "in every complete step" where others were recorded, which do not count; of a
// recording with one: "in the one step that was recorded".
std::string_view InEveryStepText(const RuleInput& input);

// "1 kernel", "12 copies", "2.5 calls": a mean count of a thing, whose name is in the singular.
std::string CountText(double count, std::string_view noun);
// "1 kernel a step", and how the verb behind it ends: {"1 copy a step", "s"} ("takes"), {"12 copies
// a step", ""} ("take").
struct CountWords {
  std::string text;
  std::string_view verb_ending;
};
CountWords CountAStep(double count, std::string_view noun);
// "once a step", "12 times a step".
std::string TimesAStep(double count);

// "in 1 step of 8", "in 3 steps of 8 (the mean of the steps that have it)": behind a time.
std::string InStepsText(const RuleInput& input, std::size_t steps);

// What a cause loses in the steps that have it: {"12.3 ms", "a step"}; of a cause of some steps the
// mean over these, and only the ranks that have it there: {"30.0 ms", "in 3 steps of 12 (the mean
// of the steps that have it)"}. `lost_ns` must be known.
struct LossWords {
  std::string time, when;
};
LossWords LossOf(const RuleInput& input, const Cause& cause);

// In words, by their numbers: "rank 3", "all ranks", "ranks 0-3, 8", "pipeline stage 2: ranks
// 32-47".
std::string WhoText(const RuleInput& input, const std::vector<std::uint32_t>& ranks);

// Ops (or names, on the host) of these nodes by their time, the largest first, at most five; and
// the longest nodes, at most three.
void TellWhere(const RuleInput& input, const std::vector<NodeId>& nodes, Cause& cause);
// The same with `times` in place of the nodes' durations.
void TellWhere(const RuleInput& input, const std::vector<NodeId>& nodes,
               std::span<const std::int64_t> times, Cause& cause);

}  // namespace rankscope
