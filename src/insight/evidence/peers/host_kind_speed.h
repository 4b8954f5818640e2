// Times of ops and launch calls of one kind, independent of place. For hosts of ranks without
// peers, such as the stages of a pipeline with one rank each: their layers differ, but a launch
// costs each of their hosts the same.
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
  // Over ops and launch calls in counted steps, by rank. O(nodes + kinds x ranks), 12 bytes for
  // each of these, at most 200 MB; if that is not enough, or if every rank has peers, nothing is
  // compared.
  explicit HostKindSpeed(const RuleInput& input);

  // What the kind usually takes a host, as a share of what it takes this one: the median of the
  // means of all ranks, of two the lower one. nullopt: nothing to compare with, or the rank has
  // peers, who tell better.
  std::optional<double> UsualShare(std::uint32_t rank, std::uint32_t kind) const;

 private:
  std::size_t ranks_ = 0;
  std::vector<bool> has_peers_;   // by rank
  std::vector<double> mean_ns_;   // by kind and rank; below 0: it has none
  std::vector<double> usual_ns_;  // by kind; below 0: not known
};

}  // namespace rankscope
