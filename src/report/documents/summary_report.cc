#include "report/documents/summary_report.h"

#include <algorithm>

#include "json/writer.h"
#include "report/base/step_time.h"
#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "report/words/headline.h"
#include "report/words/recording_words.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kSummaryReportMostFindings = 3;
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

void WriteTop(json::Writer& writer, const RowsOf<Findings>& findings) {
  writer.Key("top").BeginArray();
  for (std::size_t row = 0; row < std::min(findings.rows(), kSummaryReportMostFindings); ++row) {
    writer.BeginObject()
        .TextMember("id", findings.String(row, findings->id))
        .TextMember("severity", findings.String(row, findings->severity))
        .Member("gain_pct", findings.Number(row, findings->gain_pct))
        .TextMember("title", findings.String(row, findings->title))
        .TextMember("who", findings.String(row, findings->who))
        .EndObject();
  }
  writer.EndArray();
}

void WriteSeverities(json::Writer& writer, const RowsOf<Findings>& findings) {
  writer.Key("findings").BeginObject();
  for (const std::string_view severity : {"high", "medium", "low"}) {
    std::int64_t count = 0;
    for (std::size_t row = 0; row < findings.rows(); ++row)
      count += findings.String(row, findings->severity) == severity ? 1 : 0;
    writer.Member(severity, count);
  }
  writer.EndObject();
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
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("ranks", report.ranks.size());
  writer.Member("world_size", report.StatedWorldSize())
      .Member("devices", First(report.devices, kMostDevices))
      .Key("step_time_ns");
  WriteStepTime(writer, report);
  writer.Member("steps_ns", Last(CompleteStepsNs(report), kMostSteps))
      .TextMember("bottleneck", Bottleneck(report))
      .Member("combined_gain_pct", ClaimedGainPct(report))
      .TextMember("headline", SentenceOf(report));
  WriteSeverities(writer, findings);
  WriteTop(writer, findings);
  writer.EndObject();
  return out;
}

}  // namespace rankscope
