#include "insight/evidence/loss/absent_waits.h"

#include <algorithm>
#include <set>
#include <vector>

namespace rankscope {

AbsentWaits::AbsentWaits(const RuleInput& input) {
  if (input.counted().empty() || input.step_ns() <= 0) return;
  const JobCollectives& all = input.across().collectives();
  std::set<std::int64_t> counted;
  for (const std::size_t step : input.counted()) counted.insert(input.graph().steps()[step].number);
  std::vector<double> of_rank(input.ranks(), 0);
  for (const JobCollective& collective : all.collectives()) {
    if (!all.LacksMembers(collective)) continue;
    for (const std::uint32_t member : all.MembersOf(collective)) {
      const CollectiveEvent& event = all.events()[member];
      if (counted.contains(event.step)) of_rank[event.rank] += static_cast<double>(event.dur_ns);
    }
  }
  for (const double ns : of_rank)
    most = std::max(most, ns / (input.step_ns() * static_cast<double>(input.counted().size())));
  most = std::min(most, 1.0);
}

}  // namespace rankscope
