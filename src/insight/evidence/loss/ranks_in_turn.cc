#include "insight/evidence/loss/ranks_in_turn.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace rankscope {
namespace {

constexpr std::int64_t kLittle = 5;

}  // namespace

void RanksInTurn::Add(const RuleInput& input, NodeId node, std::int64_t lost_ns) {
  if (input.Counts(node)) lost_ns_[{input.RankOf(node), input.graph().StepOf(node)}] += lost_ns;
}

std::int64_t RanksInTurn::MostOfSteps() const {
  std::map<std::uint32_t, std::int64_t> most;
  for (const auto& [where, ns] : lost_ns_) most[where.second] = std::max(most[where.second], ns);
  std::int64_t sum = 0;
  for (const auto& [step, ns] : most) sum += ns;
  return sum;
}

std::string RanksInTurn::Who(const RuleInput& input, std::size_t ranks) const {
  std::map<std::uint32_t, std::size_t> ranks_of_step;
  std::map<std::uint32_t, std::size_t> steps_of_rank;
  std::int64_t largest = 0;
  for (const auto& [where, ns] : lost_ns_) largest = std::max(largest, ns);
  for (const auto& [where, ns] : lost_ns_) {
    if (ns <= largest / kLittle) continue;
    ++steps_of_rank[where.first];
    ++ranks_of_step[where.second];
  }
  if (ranks < 2 || steps_of_rank.size() < 2 || ranks_of_step.size() < 2 ||
      2 * ranks_of_step.size() <= input.counted().size())
    return "";
  std::size_t most = 0, most_of_rank = 0;
  for (const auto& [step, count] : ranks_of_step) most = std::max(most, count);
  for (const auto& [rank, count] : steps_of_rank) most_of_rank = std::max(most_of_rank, count);
  if (2 * most > ranks || 4 * most_of_rank > 3 * ranks_of_step.size()) return "";
  return most == 1
             ? fmt::format("1 of the {} ranks, from step to step another one,", ranks)
             : fmt::format("at most {} of the {} ranks, from step to step others,", most, ranks);
}

}  // namespace rankscope
