// Times of kernels of one kind, independent of place. For ranks that cannot be compared with peers,
// such as stages with a single rank, or a stage with only slow ranks that runs the same layers as
// other stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct KindSpeed {
  // Over computing kernels with known inputs or launches, in counted steps, by group of peers.
  // O(nodes + kinds x groups) and 12 bytes for each of these, at most 200 MB; if that is not
  // enough, nothing is compared.
  explicit KindSpeed(const RuleInput& input);

  // What the kind usually takes, as a share of what it takes the peers of this rank: the median of
  // the means of all groups that run it, of two the lower one. nullopt: nothing to compare with, or
  // the rank has peers that are not slow as a whole, who tell better; of two groups, one that is
  // not slower than the other by a tenth.
  std::optional<double> UsualShare(std::uint32_t rank, std::uint32_t kind) const;
  // The same whether or not the rank is slow as a whole.
  std::optional<double> ShareOfKind(std::uint32_t rank, std::uint32_t kind) const;

 private:
  // If one of the peers is not slow compared with other stages, the comparison with peers is
  // better.
  void TellsNothingOfUsualGroups(const RuleInput& input);

  std::vector<std::uint32_t> group_of_rank_;
  std::size_t groups_ = 0;
  std::vector<bool> tells_;       // by group: of one rank, or slow as a whole
  std::vector<double> mean_ns_;   // by kind and group; below 0: it does not run it
  std::vector<double> usual_ns_;  // by kind; below 0: not known
};

}  // namespace rankscope
