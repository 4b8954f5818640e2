#include <fmt/core.h>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/text/sections.h"
#include "schemas/findings.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {

void AppendContributions(std::string& out, const Report& report) {
  constexpr std::size_t kNameWidth = 44;
  constexpr std::size_t kBarWidth = 20;
  const RowsOf<Contributions> rows(report);
  if (rows.rows() < 2) return;  // the best alone is no division
  double sum = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    sum += rows.Number(row, rows->time_ns).value_or(0);
  if (sum <= 0) return;
  AppendHeading(out, "WHAT A STEP IS MADE OF (rankscope table contributions)");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double ns = rows.Number(row, rows->time_ns).value_or(0);
    const std::string_view finding = rows.String(row, rows->finding);
    std::string name = finding.empty()
                           ? "at its best"
                           : fmt::format("{}, {}", finding, rows.String(row, rows->who));
    name = SafeForTerminal(name);
    if (name.size() > kNameWidth) name.resize(kNameWidth);
    out += fmt::format("  {:<{}} {:>8} {:>6}  {}\n", name, kNameWidth, HumanDuration(ns),
                       HumanPercent(100 * ns / sum), PercentBar(100 * ns / sum, kBarWidth));
  }
}

}  // namespace rankscope
