#include "insight/rule_input.h"

namespace rankscope {

RuleInput::RuleInput(const JobContext& job, const AcrossFacts& across, const JobGraph& graph,
                     std::span<const Table* const> tables)
    : job_(job),
      across_(across),
      graph_(graph),
      recorded_(graph),
      now_(recorded_),
      counted_(CountedSteps(graph)),
      is_counted_(graph.steps().size(), false),
      step_ns_(now_.MeanStep()),
      fidelity_(FidelityOf(recorded_, now_)),
      peers_(PeersOf(across.layout(), across.collectives().ranks().size())),
      alike_(TypicalOfPeers(graph, peers_, Alike::kPlace)),
      same_work_(TypicalOfPeers(graph, peers_, Alike::kPlaceAndShape)),
      rank_of_(graph.nodes().size()) {
  for (const std::size_t step : counted_) is_counted_[step] = true;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    for (NodeId node = capture.first; node < capture.last; ++node) rank_of_[node] = capture.rank;
  }
  for (const Table* table : tables) tables_.emplace(table->name(), table);
}

const Table* RuleInput::Find(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

double RuleInput::GainOf(const Scenario& scenario) const {
  return step_ns_ <= 0 ? 0 : 1 - Replay(scenario).MeanStep() / step_ns_;
}

}  // namespace rankscope
