#include <fmt/core.h>

#include <algorithm>

#include "report/base/kernel_name.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/class_words.h"
#include "schemas/kernels.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {

void AppendKernels(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 10;
  const RowsOf<KernelsByName> kernels(report);
  if (kernels.empty()) return;
  AppendHeading(out, "TOP KERNELS (share of summed device work)");
  for (std::size_t row = 0; row < std::min(kernels.rows(), kMost); ++row) {
    out += fmt::format("  {:>6} {:>9} {:>9} x  {}\n",
                       HumanValue(kernels.Number(row, kernels->share_pct), "%"),
                       HumanValue(kernels.Number(row, kernels->total_ns), "ns"),
                       GroupedInteger(kernels.Int(row, kernels->count).value_or(0)),
                       ShortKernelName(SafeForTerminal(kernels.String(row, kernels->name)), 48));
  }
  for (const std::string& sentence : DescribeUnknownKernels(report))
    AppendWrapped(out, "  ", sentence);
}

void AppendUnknownKernels(std::string& out, const Report& report) {
  for (const std::string& sentence : DescribeUnknownKernels(report)) {
    out += '\n';
    AppendWrapped(out, "", sentence);
  }
}

}  // namespace rankscope
