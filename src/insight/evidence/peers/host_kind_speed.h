// Times of launch calls and of ops that launch, of one kind, independent of place. For hosts of
// ranks without peers, such as the stages of a pipeline with one rank each: their layers differ,
// but a launch costs each of their hosts the same. An op that computes on the CPU of one stage and
// launches a kernel on others costs none the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Ops and launches alone tell how fast a processor is: elsewhere it may wait for others.
bool TellsHostSpeed(const NodeKind& kind);

struct HostKindSpeed {
  // Over these in counted steps, by rank. O(nodes + kinds x ranks), 12 bytes for
  // each of these, at most 200 MB; if that is not enough, or if every rank has peers, nothing is
  // compared.
  explicit HostKindSpeed(const RuleInput& input);

  // What the kind usually takes a host, as a share of what it takes this one: the median of the
  // means of all ranks, of two the lower one. nullopt: nothing to compare with, or the rank has
  // peers, who tell better.
  std::optional<double> UsualShare(std::uint32_t rank, std::uint32_t kind) const;
  // How many times as long launch calls alone take this rank as is usual; 1 where nothing tells.
  double TimesOfCalls(std::uint32_t rank) const { return ranks_ == 0 ? 1 : times_of_calls_[rank]; }

 private:
  void SetTimesOfCalls(const RuleInput& input);

  std::size_t ranks_ = 0;
  std::vector<double> times_of_calls_;  // by rank
  std::vector<bool> has_peers_;         // by rank
  std::vector<double> mean_ns_;         // by kind and rank; below 0: it has none
  std::vector<double> usual_ns_;        // by kind; below 0: not known
};

}  // namespace rankscope
