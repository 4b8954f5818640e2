#include "report/base/flop_utilisation.h"

#include <fmt/core.h>

#include <string_view>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/ranks.h"
#include "schemas/roofline.h"

namespace rankscope {
namespace {

constexpr double kFlopUtilisationNearlyAllPct = 90;
constexpr double kLeastKnownPct = 50;  // of computing: below, a bound says nothing

std::optional<double> MeanOf(const Report& report, std::string_view metric) {
  const RowsOf<OverRanks> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->analysis) == FlopUtilisation::kName &&
        rows.String(row, rows->metric) == metric)
      return rows.Number(row, rows->mean);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ModelFlopUtilisation> ModelFlopUtilisationOf(const Report& report) {
  const auto pct = MeanOf(report, "mfu");
  const double known_pct = MeanOf(report, "known").value_or(0);
  if (!pct || known_pct < kLeastKnownPct) return std::nullopt;
  return ModelFlopUtilisation{.pct = *pct,
                              .is_lower_bound = known_pct < kFlopUtilisationNearlyAllPct};
}

std::string FlopUtilisationSentence(const Report& report) {
  constexpr double kLeastPct = 0.1, kMostPct = 100;
  const auto mfu = ModelFlopUtilisationOf(report);
  if (!mfu) return "";
  if (mfu->pct < kLeastPct) return mfu->is_lower_bound ? "" : " MFU below 0.1%.";
  if (mfu->pct > kMostPct)
    return fmt::format(
        " MFU is not known: by their shapes products would run at {} of the 16-bit peak (FP8, or "
        "kernels that skip work).",
        HumanValue(mfu->pct, "%"));
  return fmt::format(" MFU {}{}.", mfu->is_lower_bound ? "at least " : "",
                     HumanValue(mfu->pct, "%"));
}

}  // namespace rankscope
