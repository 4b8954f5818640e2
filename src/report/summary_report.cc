#include "report/summary_report.h"

#include <algorithm>

#include "json/json_text.h"
#include "report/finding_words.h"
#include "report/headline.h"
#include "report/json_cells.h"
#include "report/step_time.h"
#include "report/table_view.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostFindings = 3;
constexpr std::size_t kMostDevices = 4;

// What the first finding says; where there is none, the largest loss.
std::string SentenceOf(const Report& report) {
  const RowsOf<Findings> findings(report);
  if (!findings.empty()) return std::string(findings.String(0, findings->title));
  const std::vector<Headline> headlines = Headlines(report);
  return headlines.empty() ? "" : headlines.front().text;
}

void AppendTop(std::string& out, const RowsOf<Findings>& findings) {
  out += '[';
  for (std::size_t row = 0; row < std::min(findings.rows(), kMostFindings); ++row) {
    out += row == 0 ? "{" : ",{";
    AppendKey(out, "id");
    AppendText(out, findings.String(row, findings->id));
    out += ',';
    AppendKey(out, "severity");
    AppendText(out, findings.String(row, findings->severity));
    out += ',';
    AppendKey(out, "gain_pct");
    AppendNumber(out, findings.Number(row, findings->gain_pct));
    out += ',';
    AppendKey(out, "title");
    AppendText(out, findings.String(row, findings->title));
    out += ',';
    AppendKey(out, "who");
    AppendText(out, findings.String(row, findings->who));
    out += '}';
  }
  out += ']';
}

void AppendSeverities(std::string& out, const RowsOf<Findings>& findings) {
  out += '{';
  for (const std::string_view severity : {"high", "medium", "low"}) {
    std::int64_t count = 0;
    for (std::size_t row = 0; row < findings.rows(); ++row)
      count += findings.String(row, findings->severity) == severity ? 1 : 0;
    if (out.back() != '{') out += ',';
    AppendKey(out, severity);
    AppendJsonInteger(out, count);
  }
  out += '}';
}

}  // namespace

std::string WriteSummary(const Report& report) {
  std::string out = "{";
  AppendKey(out, "ranks");
  AppendJsonInteger(out, static_cast<std::int64_t>(report.ranks.size()));
  out += ',';
  AppendKey(out, "world_size");
  out += report.world_size < 0 ? "null" : std::to_string(report.world_size);
  out += ',';
  AppendKey(out, "devices");
  out += '[';
  for (std::size_t i = 0; i < std::min(report.devices.size(), kMostDevices); ++i) {
    if (i != 0) out += ',';
    AppendJsonString(out, report.devices[i]);
  }
  out += "],";
  AppendKey(out, "step_time_ns");
  AppendStepTimeJson(out, report);
  out += ',';
  AppendKey(out, "steps_ns");
  out += '[';
  const std::vector<double> steps = CompleteStepsNs(report);
  for (std::size_t i = steps.size() - std::min(steps.size(), kMostSteps); i < steps.size(); ++i) {
    if (out.back() != '[') out += ',';
    AppendJsonDouble(out, steps[i]);
  }
  out += "],";
  AppendKey(out, "bottleneck");
  AppendText(out, Bottleneck(report));
  out += ',';
  AppendKey(out, "combined_gain_pct");
  AppendNumber(out, CombinedGainPct(report));
  out += ',';
  AppendKey(out, "headline");
  AppendText(out, SentenceOf(report));
  out += ',';
  const RowsOf<Findings> findings(report);
  AppendKey(out, "findings");
  AppendSeverities(out, findings);
  out += ',';
  AppendKey(out, "top");
  AppendTop(out, findings);
  return out + "}";
}

}  // namespace rankscope
