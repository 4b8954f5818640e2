#include "report/words/class_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "report/base/kernel_name.h"
#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/kernels.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr double kClassWordsLeastSharePct = 10;
constexpr std::size_t kClassWordsMostNames = 3;

// What a line of --kernel-classes could have for the kernel: its name as far as it has no types.
// "void mine::ring<float, 4>(float*)" -> "mine::ring"
std::string PatternFor(std::string_view name) {
  std::string pattern = ShortKernelName(name, name.size() + 4);
  pattern.resize(std::min(pattern.size(), pattern.find_first_of("<( #")));
  return pattern;
}

}  // namespace

std::vector<std::string> DescribeUnknownKernels(const Report& report) {
  const RowsOf<KernelsByName> kernels(report);
  double computing_ns = 0;
  double unknown_ns = 0;
  std::vector<std::size_t> largest;  // the table has the largest first
  for (std::size_t row = 0; row < kernels.rows(); ++row) {
    if (kernels.String(row, kernels->work) != "compute") continue;
    const double total_ns = kernels.Number(row, kernels->total_ns).value_or(0);
    computing_ns += total_ns;
    if (kernels.String(row, kernels->class_) != "other") continue;
    unknown_ns += total_ns;
    if (largest.size() < kClassWordsMostNames) largest.push_back(row);
  }
  if (computing_ns <= 0 || unknown_ns < kClassWordsLeastSharePct / 100 * computing_ns) return {};
  const auto share = [&](double ns) { return HumanValue(100 * ns / computing_ns, "%"); };
  std::string names;
  std::string pattern;
  for (const std::size_t row : largest) {
    const std::string name = SafeForTerminal(kernels.String(row, kernels->name));
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", ShortKernelName(name, 48),
                         share(kernels.Number(row, kernels->total_ns).value_or(0)));
    if (pattern.empty()) pattern = PatternFor(name);
  }
  return {
      fmt::format("{} of the time of computing kernels is of no known class: {}; "
                  "--kernel-classes FILE says what they are, in lines such as: gemm {} (all "
                  "classes: rankscope list kernel_classes)",
                  share(unknown_ns), names, pattern.empty() ? "part_of_the_name" : pattern)};
}

}  // namespace rankscope
