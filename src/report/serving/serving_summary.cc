#include <algorithm>

#include "json/fields.h"
#include "report/base/summary_findings.h"
#include "report/base/wording.h"
#include "report/serving/serving_report.h"
#include "report/serving/serving_words.h"

namespace rankscope {
namespace {

// The stage that takes the most of requests' time; "" where one alone is known.
std::string_view LongestStage(const ServingView& view) {
  const auto& rows = view.stages;
  std::string_view longest;
  double most = 0;
  std::size_t known = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->stage) == "total") continue;
    const auto share = rows.Number(row, rows->share_pct);
    if (!share) continue;
    ++known;
    if (*share <= most) continue;
    most = *share;
    longest = rows.String(row, rows->stage);
  }
  return known > 1 ? longest : "";
}

}  // namespace

std::string WriteServingSummary(const ServingReport& report) {
  const ServingView view(report);
  const auto& findings = view.findings;
  std::string headline = ServingHeadlineOf(view);
  if (!headline.empty() && headline.front() >= 'a' && headline.front() <= 'z')
    headline.front() = static_cast<char>(headline.front() - 'a' + 'A');
  std::string longest(LongestStage(view));
  std::ranges::replace(longest, '_', ' ');
  return json::ToJson(api::RunSummary{
      .subject = std::string(api::kServingSubject),
      .bottleneck = longest,
      .combined_gain_pct = findings.empty() ? std::nullopt : findings.Number(0, findings->gain_pct),
      .headline = headline,
      .findings = CountsOf(findings),
      .top = TopOf(findings)});
}

}  // namespace rankscope
