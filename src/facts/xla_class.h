// The class of an XLA instruction, from its name (trace/hlo_name.h) and its category in the profile
// ("hlo_category" of TPUs: "convolution fusion", "loop fusion", "data formatting").
#pragma once

#include <optional>
#include <string_view>

#include "facts/kernel_class.h"

namespace rankscope {

// nullopt if neither determines it, as for every name of other origin. These, custom calls and
// fusions without a kind get classes from the table of kernel_rules.h.
//
// XLA computes matrix products on TPUs as convolutions, and their category says so.
std::optional<KernelClass> ClassOfXlaOp(std::string_view name, std::string_view category);

}  // namespace rankscope
