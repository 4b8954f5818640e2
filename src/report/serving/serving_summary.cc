#include <algorithm>

#include "json/writer.h"
#include "report/base/wording.h"
#include "report/serving/serving_report.h"
#include "report/serving/serving_words.h"

namespace rankscope {
namespace {

constexpr std::size_t kServingSummaryMostFindings = 3;

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
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("subject", "serving");
  writer.Key("ranks").Null();
  writer.Key("world_size").Null();
  writer.Key("devices").BeginArray().EndArray();
  writer.Key("step_time_ns").Null();
  writer.Key("steps_ns").BeginArray().EndArray();
  std::string longest(LongestStage(view));
  std::ranges::replace(longest, '_', ' ');
  writer.TextMember("bottleneck", longest);
  writer.Member("combined_gain_pct",
                findings.empty() ? std::nullopt : findings.Number(0, findings->gain_pct));
  writer.TextMember("headline", headline);
  writer.Key("findings").BeginObject();
  for (const std::string_view severity : {"high", "medium", "low"}) {
    std::int64_t count = 0;
    for (std::size_t row = 0; row < findings.rows(); ++row)
      count += findings.String(row, findings->severity) == severity ? 1 : 0;
    writer.Member(severity, count);
  }
  writer.EndObject().Key("top").BeginArray();
  for (std::size_t row = 0; row < std::min(findings.rows(), kServingSummaryMostFindings); ++row) {
    writer.BeginObject()
        .TextMember("id", findings.String(row, findings->id))
        .TextMember("severity", findings.String(row, findings->severity))
        .Member("gain_pct", findings.Number(row, findings->gain_pct))
        .TextMember("title", findings.String(row, findings->title))
        .TextMember("who", "")
        .EndObject();
  }
  writer.EndArray().EndObject();
  return out;
}

}  // namespace rankscope
