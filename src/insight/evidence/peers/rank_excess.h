// The excess of ranks over their peers, by kind: for contributions on some ranks.
//
// The excess is net: the sum over all nodes of the time beyond the usual at their place
// (replay/peers/excess.h), where shorter times count negative, so scatter between nodes cancels.
// From this sum the part that peers also have is subtracted: work at changing places is rare at
// each of them, on every rank.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

enum class Beyond : std::uint8_t {
  kKernels,  // the same kernels take longer; without shapes, of the same names
  kWork,     // there is more to compute
  kCopies,   // copies and memsets
  kHost,     // what the host does outside of waits, loaders, allocators, compilers
};
inline constexpr std::size_t kBeyondCount = 4;

// O(nodes).
struct RankExcess {
  explicit RankExcess(const RuleInput& input);

  // Over the counted steps, by rank: more than the middle one of its peers (of two, the lower).
  std::array<std::vector<std::int64_t>, kBeyondCount> net_ns;
  const std::vector<std::int64_t>& Of(Beyond what) const {
    return net_ns[static_cast<std::size_t>(what)];
  }
  // The same of each counted step, in their order: the median of the peers' in that step is taken
  // off. By rank, all steps of a rank together.
  std::array<std::vector<std::int64_t>, kBeyondCount> step_ns;
  std::size_t steps = 0;
  std::span<const std::int64_t> StepsOf(Beyond what, std::uint32_t rank) const {
    return std::span(step_ns[static_cast<std::size_t>(what)]).subspan(rank * steps, steps);
  }
};

// The ranks that take 1 % of a step or more beyond their peers (2 % where these are fewer than
// eight), and more than ranks scatter, ascending; none where more than half of those that have
// peers do: then it is the others that are out of line; nor where clocks are not known to each
// other. Where ranks fall into two groups that lie far apart against how they scatter within them,
// the slower one of these, up to a half. Where some are beyond their peers in most steps and others
// in a few, only the former: what strikes single steps is another cause (outlier-step).
std::vector<std::uint32_t> RanksBeyond(const RuleInput& input, Beyond what);

// Time of each rank for such work over the counted steps, in ns, by dense number.
const std::vector<double>& OwnTimes(const RuleInput& input, Beyond what);

// How far the means of two sets of times lie apart, in standard deviations within them; 0 for fewer
// than four.
double TimesApart(std::span<const double> fast, std::span<const double> slow);

// Replays these ranks with the times of the other ranks for work that takes longer (the median over
// their counted steps, 0 for work that they mostly do not do). Sets place, steps and amount;
// `what`, the title, is left to the caller. O(n log n).
Cause CauseOfExcess(const RuleInput& input, Beyond what, std::vector<std::uint32_t> ranks);

}  // namespace rankscope
