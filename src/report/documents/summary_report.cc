#include "report/documents/summary_report.h"

#include <algorithm>

#include "json/fields.h"
#include "report/base/step_time.h"
#include "report/base/summary_findings.h"
#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "report/words/headline.h"
#include "report/words/recording_words.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostDevices = 4;

// What the first finding says; where there is none, why no cause can be told, or the largest loss.
std::string AnswerOf(const Report& report) {
  const RowsOf<Findings> findings(report);
  if (!findings.empty()) return std::string(findings.String(0, findings->title));
  const RowsOf<ReplayFidelity> fidelity(report);
  if (!fidelity.empty() && !fidelity.String(0, fidelity->refused_reason).empty())
    return FindingsSentence(report);
  const std::vector<Headline> headlines = Headlines(report);
  return headlines.empty() ? "" : headlines.front().text;
}

// Behind what must be known of the recording first.
std::string SentenceOf(const Report& report) {
  const std::string verdict = RecordingVerdict(report);
  std::string answer = AnswerOf(report);
  if (verdict.empty() || answer.empty()) return verdict + answer;
  if (answer.front() >= 'a' && answer.front() <= 'z')
    answer.front() = static_cast<char>(answer.front() - 'a' + 'A');
  return verdict + " " + answer;
}

template <typename T>
std::vector<T> First(const std::vector<T>& all, std::size_t most) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most))};
}

template <typename T>
std::vector<T> Last(const std::vector<T>& all, std::size_t most) {
  return {all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), most)), all.end()};
}

}  // namespace

std::string WriteSummary(const Report& report) {
  const RowsOf<Findings> findings(report);
  api::RunSummary summary{.ranks = static_cast<std::int64_t>(report.ranks.size()),
                          .world_size = report.StatedWorldSize(),
                          .devices = First(report.devices, kMostDevices),
                          .step_time_ns = StepTimeOf(report),
                          .steps_ns = Last(CompleteStepsNs(report), kMostSteps),
                          .bottleneck = std::string(Bottleneck(report)),
                          .combined_gain_pct = ClaimedGainPct(report),
                          .headline = SentenceOf(report),
                          .findings = CountsOf(findings),
                          .top = TopOf(findings)};
  for (std::size_t row = 0; row < summary.top.size(); ++row)
    summary.top[row].who = findings.String(row, findings->who);
  return json::ToJson(summary);
}

}  // namespace rankscope
