// ModelledOps: the ops of a trace that have a cost, and the device work that each of them launched.
#pragma once

#include <optional>
#include <vector>

#include "facts/trace_facts.h"
#include "op_cost/models/paged_attention.h"
#include "op_cost/op_cost.h"

namespace rankscope {

class ModelledOps {
 public:
  // Attention over a paged cache has a cost if an annotation around it states the lengths of the
  // sequences. A capture never has such an annotation, since the lengths differ for every launch of
  // the graph: with kWithoutBatch such an op has a shape and no cost.
  enum class Paged : std::uint8_t { kWithBatch, kWithoutBatch };
  explicit ModelledOps(const RankTrace& trace, Paged paged = Paged::kWithBatch);

  // The outermost op with a cost that encloses the launch of this work; kNoRow if there is none or
  // the launch is not known. It is the outermost so that aten::convolution counts once, and its
  // parts do not count again.
  Row OwnerOf(Row work) const;
  // The same for a call, even if it launched nothing.
  Row OwnerOfCall(Row call) const { return owner_[call]; }
  // `owner` is the result of one of these.
  const OpCost& CostOfOwner(Row owner) const { return costs_[cost_of_[owner]]; }
  const std::optional<PagedShape>& ShapeOfOwner(Row owner) const {
    return shapes_[cost_of_[owner]];
  }
  // The same number for ops of one name with the same inputs, below size().
  std::uint32_t IndexOfOwner(Row owner) const { return cost_of_[owner]; }
  std::size_t size() const { return costs_.size(); }

 private:
  const RankTrace& trace_;
  std::vector<Row> owner_;              // of every row: the outermost modelled op around it
  std::vector<std::uint32_t> cost_of_;  // of modelled ops: index into costs_
  std::vector<OpCost> costs_;
  std::vector<std::optional<PagedShape>> shapes_;  // of each cost, with kWithoutBatch
};

// The units that a kernel computes on, according to its name.
enum class KernelUnits : std::uint8_t { kMatrixCores, kVectorUnits, kNotSaid };

// cuBLAS, cuDNN and CUTLASS name the instruction of matrix cores, hipBLASLt has
// "Cijk_..._MI16x16x1", and flash attention always uses them. "ffma", "sgemm", "simt", cuDNN's
// "dgrad_engine" and PyTorch's own kernels do not use them. For xmma kernels the types decide:
// "f32f32_f32f32_f32" is fp32, "tf32f32_tf32f32_f32" and "f32f32_tf32f32_f32" are TF32 on matrix
// cores. Triton's kernels have the names that their authors gave them, which show nothing.
KernelUnits UnitsOfKernel(std::string_view kernel);

}  // namespace rankscope
