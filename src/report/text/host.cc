#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "schemas/host.h"
#include "schemas/steps.h"
#include "schemas/words.h"

namespace rankscope {
namespace {

// "ops 600 ns": the largest part.
std::string LargestPart(const RowsOf<HostBreakdown>& rows, std::size_t row) {
  const auto columns = rows->PartColumns();
  const auto time_of = [&](std::size_t part) {
    return rows.Number(row, columns[part]).value_or(0);
  };
  std::size_t largest = 0;
  for (std::size_t part = 1; part < columns.size(); ++part) {
    if (time_of(part) > time_of(largest)) largest = part;
  }
  return fmt::format("{} {}", kHostParts[largest].label,
                     HumanValue(rows.Number(row, columns[largest]), "ns"));
}

}  // namespace

// For jobs whose devices are not known.
void AppendHost(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 12;
  const RowsOf<HostBreakdown> rows(report);
  if (rows.empty() || !RowsOf<JobBreakdown>(report).empty()) return;
  AppendHeading(out, "NO DEVICE TIME IS KNOWN. WHAT HOST THREADS DID (the busiest first)");
  const auto recorded = [&](std::size_t row) {
    return rows.Number(row, rows->duration_ns).value_or(0) -
           rows.Number(row, rows->other_ns).value_or(0);
  };
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return recorded(a) > recorded(b); });
  if (order.size() > kMost) order.resize(kMost);
  out +=
      fmt::format("  {:>6} {:>12} {:>8} {:>9}  {}\n", "rank", "thread", "step", "window", "mostly");
  for (const std::size_t row : order) {
    const auto step = rows.Int(row, rows->step);
    out += fmt::format(
        "  {:>6} {:>12} {:>8} {:>9}  {}\n", rows.Int(row, rows->rank).value_or(-1),
        rows.Int(row, rows->thread).value_or(-1), step ? std::to_string(*step) : "outside",
        HumanValue(rows.Number(row, rows->duration_ns), "ns"), LargestPart(rows, row));
  }
}

}  // namespace rankscope
