// Kernel names for people.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// The distinctive part of a demangled kernel name, in at most `width` characters: return type,
// parameter list and the namespaces of PyTorch's own kernels are removed, and a longer name is cut
// at its end.
//   "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int, ...)"
//   -> "vectorized_elementwise_kernel<4, FillFunctor<float> >"
//   "%add_fusion.2 = f32[8]{0} fusion(%a), kind=kLoop" -> "add_fusion.2"
std::string ShortKernelName(std::string_view name, std::size_t width);

}  // namespace rankscope
