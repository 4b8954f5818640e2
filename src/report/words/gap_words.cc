#include "report/words/gap_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/steps.h"
#include "schemas/unknown_gaps.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr double kGapWordsLeastSharePct = 5;
constexpr std::size_t kGapWordsMostNames = 3;

double UnknownPct(const Report& report) {
  const RowsOf<JobBreakdown> parts(report);
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    if (parts.String(row, parts->part) == "unknown")
      return parts.Number(row, parts->share_pct).value_or(0);
  }
  return 0;
}

}  // namespace

std::vector<std::string> DescribeUnknownGaps(const Report& report) {
  if (UnknownPct(report) < kGapWordsLeastSharePct) return {};
  const RowsOf<UnknownGaps> gaps(report);
  struct Sum {
    double ns = 0;
    std::size_t gaps = 0;
  };
  std::map<std::pair<std::string_view, std::string_view>, Sum> by_place;  // op or call, range
  double whole = 0;
  for (std::size_t row = 0; row < gaps.rows(); ++row) {
    const double ns = gaps.Number(row, gaps->total_ns).value_or(0);
    whole += ns;
    std::string_view what = gaps.String(row, gaps->host_op);
    if (what == UnknownGaps::kOthers) continue;
    if (what.empty()) what = gaps.String(row, gaps->host_call);
    Sum& sum = by_place[{what, gaps.String(row, gaps->host_range)}];
    sum.ns += ns;
    sum.gaps += static_cast<std::size_t>(gaps.Number(row, gaps->gaps).value_or(0));
  }
  std::vector<std::pair<std::pair<std::string_view, std::string_view>, Sum>> places(
      by_place.begin(), by_place.end());
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  if (places.size() > kGapWordsMostNames) places.resize(kGapWordsMostNames);
  std::string text;
  for (const auto& [place, sum] : places) {
    const auto& [what, range] = place;
    if (sum.ns < 0.1 * whole) break;
    std::string where = what.empty() ? "in no op or call" : "in " + SafeForTerminal(what);
    if (!range.empty()) where += fmt::format(" ({})", SafeForTerminal(range));
    text += fmt::format("{}{} in {} while the host was {}", text.empty() ? "" : ", ",
                        HumanDuration(sum.ns), Plural(sum.gaps, "gap"), where);
  }
  if (text.empty()) return {};
  return {
      fmt::format("of {} that devices idled for no reason that the trace shows, {} (table "
                  "unknown_gaps)",
                  HumanDuration(whole), text)};
}

}  // namespace rankscope
