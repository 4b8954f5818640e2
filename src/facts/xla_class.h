// What an instruction of XLA is for, by its name (trace/hlo_name.h) and by the category that its
// profiler states ("hlo_category" of TPUs: "convolution fusion", "loop fusion", "data formatting").
#pragma once

#include <optional>
#include <string_view>

#include "facts/kernel_class.h"

namespace rankscope {

// nullopt where neither says it, as for every name of other origin; those, custom calls and
// fusions without a kind have classes by the table of kernel_rules.h.
//
// XLA computes matrix products of TPUs as convolutions, and so does their category.
std::optional<KernelClass> ClassOfXlaOp(std::string_view name, std::string_view category);

}  // namespace rankscope
