// ListDtypes: the dtypes of the tensors in an op's lists. A trace has the shapes of "TensorList"
// inputs (concatenation, optimizers) but not their dtype. The kernels that the op launches name it,
// since PyTorch's kernels are templates over it.
#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class ListDtypes {
 public:
  explicit ListDtypes(const RankTrace& trace);

  // Empty for an op without lists, or if its kernels do not name the dtype.
  std::string_view Of(Row op) const { return of_.empty() ? std::string_view() : of_[op]; }

 private:
  std::vector<std::string_view> of_;  // by row; empty if no op of the trace has a list
};

// The first dtype among a kernel's template arguments, in PyTorch's notation: "float" for
// "multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<float, 2, 2, 0>,
// ...>". Kernels that copy elements of any kind have "OpaqueType<2u>". Empty if there is none.
std::string_view DtypeInKernelName(std::string_view kernel);

}  // namespace rankscope
