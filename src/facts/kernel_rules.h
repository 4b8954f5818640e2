// By what names kernels are told apart: a table of patterns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "facts/kernel_class.h"

namespace rankscope {

// One line of the table by which kernels are classified. The first rule of which one of the
// patterns fits decides; without any the kernel is kOther. Patterns are compared with the name in
// lower case, without the namespace fbgemm_gpu and a leading "void "; "^abc" fits at its beginning,
// "abc" anywhere.
struct ClassRule {
  KernelClass kernel_class;
  std::string_view patterns;  // separated by spaces
};
std::span<const ClassRule> ClassRules();
// The table as text, a line per rule, for documentation.
std::string DescribeClassRules();

// The built-in table, and before it rules of the user's own. Immutable.
class KernelRules {
 public:
  KernelRules() = default;  // the built-in table alone
  // Of lines "CLASS PATTERN...", such as "attention my_flash ^ring_attn"; what follows a # is a
  // comment. Patterns are those of the table in any case, but that they see the namespace
  // fbgemm_gpu. `path` is for messages.
  static Result<KernelRules> Parse(std::string_view text, std::string_view path);

  // Class of a kernel by its name, and by the category that the file states for it: XLA's profiler
  // does ("convolution fusion"), others say "kernel", which tells nothing. NCCL and RCCL name their
  // kernels alike: `is_amd` decides.
  KernelClass ClassOf(std::string_view name, std::string_view category, bool is_amd) const;
  KernelClass ClassOf(std::string_view name, bool is_amd) const {
    return ClassOf(name, "", is_amd);
  }
  // The user's rules as text, for keys of what was computed by them; "" without any.
  std::string OwnRules() const;

 private:
  struct OwnRule {
    KernelClass kernel_class;
    std::string patterns;  // as those of a ClassRule
  };
  std::vector<OwnRule> own_;
};

}  // namespace rankscope
