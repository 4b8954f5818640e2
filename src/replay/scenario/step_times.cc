#include "replay/scenario/step_times.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "replay/scenario/step_pass.h"

namespace rankscope {
namespace {

template <std::size_t kMost>
std::vector<StepEnds> WholePass(const JobGraph& graph, std::span<const Scenario* const> scenarios) {
  StepPass<kMost, Scenario> pass(graph, scenarios);
  pass.RunTo(graph.order().size());
  return pass.Take();
}

}  // namespace

std::vector<StepEnds> StepTimesOf(const JobGraph& graph,
                                  std::span<const Scenario* const> scenarios) {
  std::vector<StepEnds> all;
  while (!scenarios.empty()) {
    const auto now = scenarios.first(std::min(scenarios.size(), kScenariosPerPass));
    scenarios = scenarios.subspan(now.size());
    std::vector<StepEnds> steps =
        now.size() == 1 ? WholePass<1>(graph, now) : WholePass<kScenariosPerPass>(graph, now);
    std::move(steps.begin(), steps.end(), std::back_inserter(all));
  }
  return all;
}

StepEnds StepTimesOf(const Scenario& scenario) {
  const Scenario* const one = &scenario;
  return std::move(StepTimesOf(scenario.graph(), {&one, 1}).front());
}

}  // namespace rankscope
