// KernelKey: identifies a kernel across builds, shapes and days.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::fleet {

// A kernel's family: its demangled name without return type, argument list, template values and
// clone suffixes. Of template arguments, functors and names with a tile stay. Counters of generated
// names become `*`, and names of nvjet kernels end after their tiles.
//
//   void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ...>(int)
//     -> at::native::vectorized_elementwise_kernel<CUDAFunctor_add>
//   triton_poi_fused_add_12 -> triton_poi_fused_add_*
//   nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN -> nvjet_tst_128x256_64x4
//
// Copies keep their names ("Memcpy HtoD (Pinned -> Device)"). O(length).
std::string KernelKey(std::string_view name, std::string_view work);

// "fp8", "bf16", "fp16", "tf32", "fp64", "int8" or "fp32", the first of these that the name
// mentions; "" if it mentions none.
std::string_view DtypeOf(std::string_view name);

}  // namespace rankscope::fleet
