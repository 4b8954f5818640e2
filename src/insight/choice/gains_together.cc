#include "insight/choice/gains_together.h"

#include <algorithm>
#include <utility>

#include "insight/base/thresholds.h"
#include "replay/scenario/step_times.h"

namespace rankscope {
namespace {

GainsTogether::Set Ascending(GainsTogether::Set causes) {
  std::sort(causes.begin(), causes.end());
  return causes;
}

}  // namespace

std::size_t GainsTogether::Add(Scenario without) {
  without_.push_back(std::move(without));
  return without_.size() - 1;
}

double GainsTogether::Of(const Set& causes) {
  if (causes.empty()) return 0;
  Foresee({causes});
  return gains_.at(Ascending(causes));
}

void GainsTogether::Foresee(std::vector<Set> sets) {
  for (Set& causes : sets) causes = Ascending(std::move(causes));
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  std::erase_if(sets, [&](const Set& causes) { return causes.empty() || gains_.contains(causes); });
  // As many scenarios at once as a pass takes.
  for (std::size_t first = 0; first < sets.size(); first += kScenariosPerPass) {
    const auto some =
        std::span(sets).subspan(first, std::min(kScenariosPerPass, sets.size() - first));
    std::vector<Scenario> without;
    without.reserve(some.size());
    for (const Set& causes : some) without.push_back(Without(causes));
    std::vector<const Scenario*> scenarios;
    for (const Scenario& one : without) scenarios.push_back(&one);
    const std::vector<double> gains = input_->GainsOf(scenarios);
    for (std::size_t i = 0; i < some.size(); ++i) gains_[some[i]] = gains[i];
  }
}

void GainsTogether::ForeseePrefixes(const Set& chosen, std::span<const std::size_t> next) {
  std::vector<Set> sets;
  Set causes = chosen;
  for (const std::size_t cause : next) {
    causes.push_back(cause);
    sets.push_back(causes);
  }
  Foresee(std::move(sets));
}

bool GainsTogether::IsOfOtherWork(std::size_t cause, const Set& others) const {
  const auto alone = gains_.find({cause});
  if (alone == gains_.end()) return false;
  const Scenario recorded = input_->recorded();
  const auto time_of = [](const Scenario& scenario, NodeId node) {
    return scenario.DurationOf(node) + scenario.GapOf(node);
  };
  double all = 0, own = 0;  // what it takes away
  std::vector<double> of_rank(input_->ranks(), 0);
  for (const JobGraph::CaptureNodes& capture : input_->graph().captures()) {
    for (const NodeId node : capture.nodes()) {
      if (!input_->Counts(node)) continue;
      const std::int64_t took = time_of(recorded, node);
      const auto less = static_cast<double>(took - time_of(without_[cause], node));
      if (less <= 0) continue;
      all += less;
      if (std::ranges::any_of(
              others, [&](std::size_t other) { return time_of(without_[other], node) < took; }))
        continue;
      own += less;
      of_rank[capture.rank] += less;
    }
  }
  // Who gains more than that lets others' work be hidden.
  const double most = std::ranges::max(of_rank) / static_cast<double>(input_->counted().size());
  return own > kOtherWork * all && kOtherWork * alone->second * input_->step_ns() <= most;
}

Scenario GainsTogether::Without(const Set& causes) const {
  Scenario scenario = input_->recorded();
  for (const std::size_t cause : causes) scenario.Apply(without_[cause]);
  return scenario;
}

}  // namespace rankscope
