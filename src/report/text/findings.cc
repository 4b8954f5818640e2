#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "report/base/severity_words.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/finding_words.h"
#include "schemas/findings.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostPlaces = 4;
constexpr std::string_view kTextFindingsIndent = "          ";  // below the severity

// "  HIGH    32.1%, 38.5 ms per step: slow-gpu, rank 3"
void AppendHead(std::string& out, const Report& report, std::size_t row) {
  const RowsOf<Findings> findings(report);
  const SeverityWords severity = WordsOfSeverity(findings.String(row, findings->severity));
  const std::string who = SafeForTerminal(findings.String(row, findings->who));
  std::string head;
  AppendWrapped(head, fmt::format("  {:<8}", severity.shown),
                fmt::format("{}: {}{}{}", GainWords(report, row),
                            findings.String(row, findings->id), who.empty() ? "" : ", ", who));
  // Marks have no width: they come when lines are broken.
  head.replace(2, severity.shown.size(), Marked(severity.style, severity.shown));
  out += head;
}

void AppendPlaces(std::string& out, std::string_view json) {
  std::size_t said = 0;
  for (const Place& place : ParsePlaces(json)) {
    const std::string words = SafeForTerminal(PlaceWords(place));
    if (words.empty() || said == kMostPlaces) continue;
    AppendWrapped(out, fmt::format("{}{:<8}", kTextFindingsIndent, said++ == 0 ? "Where:" : ""),
                  words);
  }
}

// Every line of a text of several, wrapped; code among it stays in its lines.
void AppendLines(std::string& out, std::string_view label, std::string_view text) {
  std::string first = fmt::format("{}{:<8}", kTextFindingsIndent, label);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty()) AppendWrapped(out, first, SafeForTerminal(line));
    first.assign(first.size(), ' ');
  }
}

void AppendWholeFinding(std::string& out, const Report& report, std::size_t row) {
  const RowsOf<Findings> findings(report);
  AppendHead(out, report, row);
  AppendWrapped(out, kTextFindingsIndent,
                AsSentence(SafeForTerminal(TitleWords(findings.String(row, findings->title),
                                                      findings.String(row, findings->places)))));
  AppendLines(out, "Why:", findings.String(row, findings->why));
  AppendPlaces(out, findings.String(row, findings->places));
  AppendLines(out, "Change:", findings.String(row, findings->recommendation));
  const std::string command = CommandWords(report, findings.String(row, findings->command));
  if (!command.empty())
    // Not broken: a command is copied.
    out += fmt::format("{}{}\n", kTextFindingsIndent,
                       Marked(Style::kAside, fmt::format("See:    {}", command)));
}

void AppendNotEvaluated(std::string& out, const Report& report) {
  const auto causes = CausesNotEvaluated(report);
  std::vector<std::string_view> reasons;
  for (const auto& [id, reason] : causes) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  }
  for (const std::string_view reason : reasons) {
    std::string ids;
    for (const auto& [id, why] : causes) {
      if (why == reason) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
    }
    AppendWrapped(out, "  ", fmt::format("Not looked for: {} ({})", ids, SafeForTerminal(reason)));
  }
}

}  // namespace

void AppendFindings(std::string& out, const Report& report) {
  if (!HasFindings(report)) return;
  const RowsOf<Findings> findings(report);
  AppendHeading(out, "FINDINGS");
  for (const std::string& sentence :
       {FindingsSentence(report), LargestPartsSentence(report), ReplaySentence(report)}) {
    if (!sentence.empty()) AppendWrapped(out, "  ", SafeForTerminal(sentence));
  }
  for (std::size_t row = 0; row < findings.rows(); ++row) AppendWholeFinding(out, report, row);
  AppendNotEvaluated(out, report);
}

}  // namespace rankscope
