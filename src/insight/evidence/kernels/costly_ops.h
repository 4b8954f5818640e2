// Ops that sort, count, decompose, fill or add by index, if they take a large part of the step.
#pragma once

#include <string_view>

#include "insight/evidence/loss/selection.h"

namespace rankscope {

enum class CostlyFamily { kNone, kSort, kDecomposition, kFill, kIndexedAdd };

// By the name of the op: "aten::_unique2" sorts, "aten::linalg_svd" decomposes,
// "aten::fill_" fills, "aten::_index_put_impl_" may add by index, which its kernels show.
CostlyFamily CostlyFamilyOf(std::string_view op);

// Use it through RuleInput::Shared.
class CostlyOps {
 public:
  explicit CostlyOps(const RuleInput& input);

  // Their device work, and copies of values to the host inside of them.
  const Selection& work() const { return work_; }
  // Of it, what follows sorts of a vocabulary while tokens are sampled with top-p, by their shapes:
  // probabilities, their sums, and what brings them back in the order of tokens.
  const Selection& behind_sorts() const { return behind_sorts_; }
  // Whether they take at least kCostlyOp of the step: by device time or, with long waits, by a
  // replay without them and their waits.
  bool AreMuch() const { return are_much_; }

 private:
  Selection work_, behind_sorts_;
  bool are_much_ = false;
};

}  // namespace rankscope
