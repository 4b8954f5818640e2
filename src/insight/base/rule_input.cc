#include "insight/base/rule_input.h"

namespace rankscope {

RuleInput::RuleInput(const JobContext& job, const AcrossFacts& across, const Replayed& replayed,
                     const InputTables& tables)
    : job_(job),
      across_(across),
      replayed_(replayed),
      graph_(replayed.graph()),
      is_counted_(graph_.steps().size(), false),
      replayed_step_ns_(replayed.now().MeanStep()),
      alike_(graph_, replayed.peers(), replayed.places(), Alike::kPlace, nullptr, job.threads),
      same_work_(graph_, replayed.peers(), replayed.places(), Alike::kPlaceAndShape, &alike_,
                 job.threads) {
  for (const std::size_t step : counted()) is_counted_[step] = true;
  for (const JobGraph::Block& block : graph_.blocks()) {
    const std::uint32_t rank = graph_.captures()[block.capture].rank;
    for (NodeId node = block.nodes.first; node < block.nodes.last; ++node) rank_of_.PushBack(rank);
  }
  for (const Table* table : tables.all()) tables_.emplace(table->name(), table);
}

double RuleInput::GainOf(const Scenario& scenario) const { return GainsOf({&scenario}).front(); }

std::vector<double> RuleInput::GainsOf(const std::vector<const Scenario*>& scenarios) const {
  std::vector<double> gains(scenarios.size(), 0);
  if (replayed_step_ns_ <= 0 || scenarios.empty()) return gains;
  const std::vector<StepEnds> steps = replayed_.StepTimes(scenarios);
  for (std::size_t i = 0; i < steps.size(); ++i) gains[i] = 1 - steps[i].Mean() / replayed_step_ns_;
  return gains;
}

}  // namespace rankscope
