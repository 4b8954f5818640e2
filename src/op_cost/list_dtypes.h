// ListDtypes: what the tensors in an op's lists hold. A trace has the shapes of "TensorList" inputs
// (concatenation, optimizers) but not their dtype; the kernels that the op launches name it, as
// PyTorch's are templates over it.
#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class ListDtypes {
 public:
  explicit ListDtypes(const RankTrace& trace);

  // Empty for an op without lists, or whose kernels do not say it.
  std::string_view Of(Row op) const { return of_.empty() ? std::string_view() : of_[op]; }

 private:
  std::vector<std::string_view> of_;  // of every row; empty when no op of the trace has a list
};

// The first dtype among a kernel's template arguments, as PyTorch names it: "float" of
// "multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<float, 2, 2, 0>,
// ...>". Kernels that copy bits of any kind have "OpaqueType<2u>". Empty when there is none.
std::string_view DtypeInKernelName(std::string_view kernel);

}  // namespace rankscope
