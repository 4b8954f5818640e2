// The input of rules: the graph of all ranks, its replay, and the tables that they list.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

#include "job/across_facts.h"
#include "replay/columns/narrow_column.h"
#include "replay/peers/peers.h"
#include "replay/peers/typical.h"
#include "replay/replayed.h"
#include "table/schema.h"

namespace rankscope {

// Any number of threads may use it.
class RuleInput {
 public:
  RuleInput(const JobContext& job, const AcrossFacts& across, const Replayed& replayed,
            const InputTables& tables);

  const JobContext& job() const { return job_; }
  const AcrossFacts& across() const { return across_; }
  const Replayed& replayed() const { return replayed_; }
  const JobGraph& graph() const { return graph_; }
  const Scenario& recorded() const { return replayed_.recorded(); }
  const Replay& now() const { return replayed_.now(); }
  const Fidelity& fidelity() const { return replayed_.fidelity(); }
  const Peers& peers() const { return replayed_.peers(); }
  const Places& places() const { return replayed_.places(); }
  // The counted steps of the graph, and whether a step counts.
  const std::vector<std::size_t>& counted() const { return CountedSteps(graph_); }
  bool Counts(NodeId node) const {
    const std::uint32_t step = graph_.StepOf(node);
    return step != kNoStep && is_counted_[step];
  }
  // The mean of the counted steps as recorded, 0 without any: the base of every share and gain.
  double step_ns() const { return replayed_.fidelity().step_ns; }
  std::size_t ranks() const { return across_.collectives().ranks().size(); }
  // Dense number of a node's rank.
  std::uint32_t RankOf(NodeId node) const { return rank_of_[node]; }
  const Typical& alike() const { return alike_; }          // at the same place
  const Typical& same_work() const { return same_work_; }  // and of the same shapes
  // The table with schema S, if rules list it.
  template <typename S>
  std::optional<ViewOf<S>> Find() const {
    const auto found = tables_.find(S::kName);
    return found == tables_.end() ? std::nullopt : std::optional(ViewOf<S>(*found->second));
  }

  // Evidence shared by several rules (evidence/): T(*this), made at its first use, while others
  // wait.
  template <typename T>
  const T& Shared() const {
    Held& held = HeldOf(typeid(T));
    std::call_once(held.made, [&] { held.value = std::make_shared<const T>(*this); });
    return *static_cast<const T*>(held.value.get());
  }

  // Share of the mean step saved by the scenario; negative if it is slower. Costs a pass over the
  // graph.
  double GainOf(const Scenario& scenario) const;
  // The same for each; one pass handles several.
  std::vector<double> GainsOf(const std::vector<const Scenario*>& scenarios) const;
  // A duration summed over the counted steps, as a share of them, for one rank.
  double ShareOfSteps(std::int64_t ns) const {
    return static_cast<double>(ns) / (step_ns() * static_cast<double>(counted().size()));
  }

  // Calls visit(node, kind) for the nodes of all steps, for changes by a scenario. The host of a
  // step that does not count may delay a device in a counted step.
  template <typename Visit>
  void ForEachOfSteps(const Visit& visit) const {
    for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
      if (graph_.StepOf(node) != kNoStep) visit(node, graph_.KindOf(node));
    }
  }

  // Calls visit(node, kind) for the nodes of counted steps, for sums.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
      if (Counts(node)) visit(node, graph_.KindOf(node));
    }
  }

 private:
  const JobContext& job_;
  const AcrossFacts& across_;
  const Replayed& replayed_;
  const JobGraph& graph_;
  std::vector<bool> is_counted_;
  double replayed_step_ns_ = 0;
  Typical alike_, same_work_;
  NarrowColumn rank_of_;  // by node
  std::map<std::string, const Table*, std::less<>> tables_;
  struct Held {
    std::once_flag made;
    std::shared_ptr<const void> value;
  };
  Held& HeldOf(std::type_index type) const {
    const std::lock_guard lock(shared_mutex_);
    return shared_[type];
  }
  mutable std::mutex shared_mutex_;
  mutable std::map<std::type_index, Held> shared_;
};

}  // namespace rankscope
