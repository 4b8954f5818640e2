// ModelledOps: which ops of a trace have a cost, and which device work each of them launched.
#pragma once

#include <vector>

#include "analysis/roofline/op_cost.h"
#include "analysis/trace_facts.h"

namespace rankscope {

class ModelledOps {
 public:
  explicit ModelledOps(const RankTrace& trace);

  // The outermost op with a cost that encloses the launch of this work; kNoRow when there is none
  // or the launch is not known. Outermost, so that aten::convolution counts once, not again as what
  // it is made of.
  Row OwnerOf(Row work) const;
  // `owner` is what OwnerOf gave.
  const OpCost& CostOfOwner(Row owner) const { return costs_[cost_of_[owner]]; }

 private:
  const RankTrace& trace_;
  std::vector<Row> owner_;              // of every row: the outermost modelled op around it
  std::vector<std::uint32_t> cost_of_;  // of modelled ops: index into costs_
  std::vector<OpCost> costs_;
};

// Whether a kernel of this name computes on matrix cores, as far as its name says: cuBLAS, cuDNN
// and CUTLASS name the instruction, hipBLASLt's "Cijk_..._MI16x16x1", flash attention always does.
bool UsesMatrixCores(std::string_view kernel);

}  // namespace rankscope
