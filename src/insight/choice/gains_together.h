// GainsTogether: the gain of removing several causes at once.
//
// Each set of causes is replayed once, independent of order and caller, and planned sets share
// passes over the graph.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

class GainsTogether {
 public:
  using Set = std::vector<std::size_t>;  // numbers of causes

  // The input must outlive it.
  explicit GainsTogether(const RuleInput& input) : input_(&input) {}

  // A cause's number: the job without it.
  std::size_t Add(Scenario without);
  // Its gain alone, if already known.
  void Know(std::size_t cause, double gain) { gains_[{cause}] = gain; }

  // Share of the step, like RuleInput::GainOf; 0 for no causes. A pass over the graph if not yet
  // known.
  double Of(const Set& causes);
  // Computes the gains of these sets.
  void Foresee(std::vector<Set> sets);
  // Whether the cause is about work that none of the others is about: two causes that hide each
  // other are not one cause. False if its gain alone was not computed. O(nodes).
  bool IsOfOtherWork(std::size_t cause, const Set& others) const;

  // The same for `chosen` with the first, the first two, ... of `next`.
  void ForeseePrefixes(const Set& chosen, std::span<const std::size_t> next);

 private:
  Scenario Without(const Set& causes) const;

  const RuleInput* input_;
  std::vector<Scenario> without_;  // by number
  std::map<Set, double> gains_;    // of sets in ascending order
};

}  // namespace rankscope
