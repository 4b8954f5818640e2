#include "sim/schedule.h"

#include <algorithm>

#include "sim/machine.h"
#include "sim/rank_program.h"

namespace rankscope::sim {

Schedule::Schedule(const JobPlan& plan) : plan_(plan), end_ns_(Index(plan.options.steps)) {
  std::vector<RankProgram> programs;
  programs.reserve(static_cast<std::size_t>(plan.options.ranks));
  std::vector<const std::vector<std::int64_t>*> ready;
  ready.reserve(programs.capacity());
  for (int rank = 0; rank < plan.options.ranks; ++rank) {
    ready.push_back(&programs.emplace_back(plan, rank, nullptr).ready_ns());
  }
  for (int step = 0; step < plan.options.steps; ++step) {
    for (RankProgram& program : programs) program.RunToRendezvous(step, nullptr);
    Resolve(step, ready);
    for (RankProgram& program : programs) program.RunToStepEnd(step, end_ns(step));
  }
}

void Schedule::Resolve(int step, std::span<const std::vector<std::int64_t>* const> ready_of_ranks) {
  const std::size_t first = Index(step);
  const auto count = static_cast<std::size_t>(plan_.collective_count());
  std::int64_t free = first == 0 ? 0 : end_ns_[first - 1];
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t last_start = 0;
    for (const auto* ready : ready_of_ranks) {
      last_start = std::max(last_start, Machine::CollectiveStart((*ready)[i], free));
    }
    free = end_ns_[first + i] = last_start + plan_.transfer_ns(step, static_cast<int>(i));
  }
}

std::int64_t Schedule::WaitNs(int step, std::span<const std::int64_t> ready_ns) const {
  const std::size_t first = Index(step);
  std::int64_t free = first == 0 ? 0 : end_ns_[first - 1];
  std::int64_t wait = 0;
  for (std::size_t i = 0; i < ready_ns.size(); ++i) {
    const std::int64_t start = Machine::CollectiveStart(ready_ns[i], free);
    free = end_ns_[first + i];
    wait += free - plan_.transfer_ns(step, static_cast<int>(i)) - start;
  }
  return wait;
}

}  // namespace rankscope::sim
