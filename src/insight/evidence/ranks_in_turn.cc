#include "insight/evidence/ranks_in_turn.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace rankscope {

void RanksInTurn::Add(const RuleInput& input, NodeId node) {
  if (input.Counts(node)) where_.emplace(input.RankOf(node), input.graph().StepOf(node));
}

std::string RanksInTurn::Text(const RuleInput& input, std::size_t ranks) const {
  std::map<std::uint32_t, std::size_t> ranks_of_step;
  std::map<std::uint32_t, std::size_t> steps_of_rank;
  for (const auto& [rank, step] : where_) {
    ++ranks_of_step[step];
    ++steps_of_rank[rank];
  }
  if (ranks < 2 || steps_of_rank.size() < 2 || ranks_of_step.size() < 2 ||
      2 * ranks_of_step.size() <= input.counted().size())
    return "";
  std::size_t most = 0;
  for (const auto& [step, count] : ranks_of_step) most = std::max(most, count);
  if (2 * most > ranks) return "";
  return fmt::format("; in a step on {}{} of the {} ranks, from step to step on others",
                     most == 1 ? "" : "at most ", most, ranks);
}

}  // namespace rankscope
