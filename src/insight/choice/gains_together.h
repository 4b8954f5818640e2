// GainsTogether: what the job gains without several of its causes at once.
//
// Each set of causes is replayed once, whoever asks for it in whichever order, and sets that are
// foreseen share passes over the graph.
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

  // The input outlives it.
  explicit GainsTogether(const RuleInput& input) : input_(&input) {}

  // A cause's number: the job without it.
  std::size_t Add(Scenario without);
  // What it gains alone, where that is known already.
  void Know(std::size_t cause, double gain) { gains_[{cause}] = gain; }

  // Share of the step, as RuleInput::GainOf; 0 of no cause. A pass over the graph where it is not
  // known.
  double Of(const Set& causes);
  // Makes the gains of these sets known.
  void Foresee(std::vector<Set> sets);
  // Whether the gain of the cause is that of work which none of the others is about: what two
  // causes hide from each other is not one cause. False where its gain alone was not asked for.
  // O(nodes).
  bool IsOfOtherWork(std::size_t cause, const Set& others) const;

  // The same of `chosen` with the first, the first two, ... of `next`.
  void ForeseePrefixes(const Set& chosen, std::span<const std::size_t> next);

 private:
  Scenario Without(const Set& causes) const;

  const RuleInput* input_;
  std::vector<Scenario> without_;  // by number
  std::map<Set, double> gains_;    // of sets in ascending order
};

}  // namespace rankscope
