// How long ranks take for kernels of one kind, whatever their place: for stages of a single rank,
// which have no peers but run the same layers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct KindSpeed {
  // Over kernels of computing of the ranks without peers whose inputs or launches are known, in
  // counted steps. O(nodes + kinds x such ranks) and 12 bytes for each of these, 200 MB at most:
  // where that does not do, nothing is compared.
  explicit KindSpeed(const RuleInput& input);

  // What the kind usually takes, as a share of what it takes this rank: the median of the means of
  // all ranks without peers that run it, three at least. nullopt: nothing to compare with.
  std::optional<double> UsualShare(std::uint32_t rank, std::uint32_t kind) const;

 private:
  std::vector<std::uint32_t> row_of_rank_;  // UINT32_MAX: it has peers
  std::size_t rows_ = 0;                    // ranks without peers
  std::vector<double> mean_ns_;             // by kind and row; below 0: it does not run it
  std::vector<double> usual_ns_;            // by kind; below 0: not known
};

}  // namespace rankscope
