#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kHostParts = {{
    {"data_ns", "fetching data"},
    {"blocked_ns", "waiting for the device"},
    {"runtime_ns", "device API calls"},
    {"op_ns", "ops"},
    {"annotated_ns", "annotated code"},
    {"python_ns", "Python"},
    {"other_ns", "nothing recorded"},
}};

// "ops 600 ns": the largest part.
std::string LargestPart(const TableView& rows, std::size_t row) {
  const auto* const largest =
      std::max_element(kHostParts.begin(), kHostParts.end(), [&](const auto& a, const auto& b) {
        return rows.Number(row, a.first).value_or(0) < rows.Number(row, b.first).value_or(0);
      });
  return fmt::format("{} {}", largest->second, HumanValue(rows.Number(row, largest->first), "ns"));
}

}  // namespace

// For jobs without device work.
void AppendHost(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 12;
  const TableView rows(report, "host_breakdown");
  if (rows.empty() || !RowsOf<JobBreakdown>(report).empty()) return;
  AppendHeading(out, "NO DEVICE WORK WAS RECORDED. WHAT HOST THREADS DID (the busiest first)");
  const auto recorded = [&](std::size_t row) {
    return rows.Number(row, "duration_ns").value_or(0) - rows.Number(row, "other_ns").value_or(0);
  };
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return recorded(a) > recorded(b); });
  if (order.size() > kMost) order.resize(kMost);
  out +=
      fmt::format("  {:>6} {:>12} {:>8} {:>9}  {}\n", "rank", "thread", "step", "window", "mostly");
  for (const std::size_t row : order) {
    const auto step = rows.Int(row, "step");
    out +=
        fmt::format("  {:>6} {:>12} {:>8} {:>9}  {}\n", rows.Int(row, "rank").value_or(-1),
                    rows.Int(row, "thread").value_or(-1), step ? std::to_string(*step) : "outside",
                    HumanValue(rows.Number(row, "duration_ns"), "ns"), LargestPart(rows, row));
  }
}

}  // namespace rankscope
