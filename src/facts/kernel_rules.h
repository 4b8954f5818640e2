// Classification of kernels by name: a table of patterns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "facts/kernel_class.h"

namespace rankscope {

// One line of the table of kernel classes. The first rule with a matching pattern decides; without
// any the kernel is kOther. Patterns are compared with the name in lower case, without the
// namespace fbgemm_gpu and a leading "void "; "^abc" matches at its beginning, "abc" anywhere.
struct ClassRule {
  KernelClass kernel_class;
  std::string_view patterns;  // separated by spaces
};
std::span<const ClassRule> ClassRules();
// The table as text, a line per rule, for documentation.
std::string DescribeClassRules();

// The user's own rules, followed by the built-in table. Immutable.
class KernelRules {
 public:
  KernelRules() = default;  // the built-in table alone
  // Of lines "CLASS PATTERN...", such as "attention my_flash ^ring_attn"; text after a # is a
  // comment. Patterns work as in the table, ignoring case, but they see the namespace fbgemm_gpu.
  // `path` is for messages.
  static Result<KernelRules> Parse(std::string_view text, std::string_view path);

  // Class of a kernel by its name, and by its category in the file: XLA's profiler has one
  // ("convolution fusion"), others only say "kernel". NCCL and RCCL use the same kernel names:
  // `is_amd` decides.
  KernelClass ClassOf(std::string_view name, std::string_view category, bool is_amd) const;
  KernelClass ClassOf(std::string_view name, bool is_amd) const {
    return ClassOf(name, "", is_amd);
  }
  // The user's rules as text, for keys of results computed with them; "" without any.
  std::string OwnRules() const;

 private:
  struct OwnRule {
    KernelClass kernel_class;
    std::string patterns;  // as those of a ClassRule
  };
  std::vector<OwnRule> own_;
};

}  // namespace rankscope
