#include "report/words/blame_words.h"

#include <fmt/core.h>

#include <string_view>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/blame.h"

namespace rankscope {

std::vector<std::string> DescribeBlame(const Report& report) {
  constexpr std::size_t kMost = 3;
  constexpr double kLeastOfSkew = 10;  // %
  constexpr double kLeastOfSteps = 1;  // %
  const RowsOf<BlameOfRanks> blame(report);
  std::vector<std::string> sentences;
  for (std::size_t row = 0; row < blame.rows() && sentences.size() < kMost; ++row) {
    const double share = blame.Number(row, blame->share_pct).value_or(0);
    const std::string_view op = blame.String(row, blame->op);
    const std::string_view cause = blame.String(row, blame->cause);
    if (cause == "usual work" || cause == "unexplained" || share < kLeastOfSkew ||
        blame.Number(row, blame->step_pct).value_or(0) < kLeastOfSteps)
      continue;
    const bool is_one = blame.Int(row, blame->rank).has_value();
    sentences.push_back(fmt::format(
        "{} of all lateness is due to {} {}: {}{}, in {} of {} steps", HumanValue(share, "%"),
        is_one ? "rank" : "ranks", blame.String(row, blame->ranks), cause,
        op.empty() ? "" : fmt::format(" ({})", op), blame.Int(row, blame->steps).value_or(0),
        blame.Int(row, blame->of_steps).value_or(0)));
  }
  return sentences;
}

}  // namespace rankscope
