#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "report/finding_words.h"
#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
#include "schemas/findings.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// So many stand in full; the rest has a line each.
constexpr std::size_t kMostInFull = 6;
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostPlaces = 4;
constexpr std::string_view kIndent = "          ";  // below the severity

struct SeverityWords {
  std::string_view id;
  std::string_view shown;
  Style style;
};
constexpr SeverityWords kSeverities[] = {{"high", "HIGH", Style::kAlarm},
                                         {"medium", "MEDIUM", Style::kNotice},
                                         {"low", "low", Style::kAside}};

SeverityWords WordsOf(std::string_view severity) {
  for (const SeverityWords& words : kSeverities) {
    if (words.id == severity) return words;
  }
  return {severity, severity, Style::kAside};
}

// "  HIGH    32.1%, 38.5 ms per step: slow-gpu, rank 3"
void AppendHead(std::string& out, const Report& report, std::size_t row) {
  const RowsOf<Findings> findings(report);
  const SeverityWords severity = WordsOf(findings.String(row, findings->severity));
  const std::string who = SafeForTerminal(findings.String(row, findings->who));
  std::string head;
  AppendWrapped(head, fmt::format("  {:<8}", severity.shown),
                fmt::format("{}: {}{}{}", GainWords(report, row),
                            findings.String(row, findings->id), who.empty() ? "" : ", ", who));
  // Marks have no width: they come when lines are broken.
  head.replace(2, severity.shown.size(), Marked(severity.style, severity.shown));
  out += head;
}

void AppendPlaces(std::string& out, std::string_view json, std::size_t most) {
  std::size_t said = 0;
  for (const Place& place : ParsePlaces(json)) {
    const std::string words = SafeForTerminal(PlaceWords(place));
    if (words.empty() || said == most) continue;
    AppendWrapped(out, fmt::format("{}{:<8}", kIndent, said++ == 0 ? "Where:" : ""), words);
  }
}

// Every line of a text of several, wrapped; code among it stays in its lines.
void AppendLines(std::string& out, std::string_view label, std::string_view text, bool all) {
  std::string first = fmt::format("{}{:<8}", kIndent, label);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty()) AppendWrapped(out, first, SafeForTerminal(line));
    first.assign(first.size(), ' ');
    if (!all) return;
  }
}

void AppendFinding(std::string& out, const Report& report, std::size_t row, bool full) {
  const RowsOf<Findings> findings(report);
  AppendHead(out, report, row);
  AppendWrapped(out, kIndent, SafeForTerminal(findings.String(row, findings->title)));
  if (full) AppendLines(out, "Why:", findings.String(row, findings->why), true);
  AppendPlaces(out, findings.String(row, findings->places), full ? kMostPlaces : 1);
  AppendLines(out, "Change:", findings.String(row, findings->recommendation), full);
  const std::string command = CommandWords(report, findings.String(row, findings->command));
  if (!command.empty())
    // Not broken: a command is copied.
    out +=
        fmt::format("{}{}\n", kIndent, Marked(Style::kAside, fmt::format("See:    {}", command)));
}

void AppendNotEvaluated(std::string& out, const Report& report, bool full) {
  const auto causes = CausesNotEvaluated(report);
  if (causes.empty()) return;
  if (!full) {
    out += fmt::format("  {} could not be looked for (--full says which, and why).\n",
                       Plural(causes.size(), "cause"));
    return;
  }
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

void AppendFindings(std::string& out, const Report& report, bool full) {
  if (!HasFindings(report)) return;
  const RowsOf<Findings> findings(report);
  AppendHeading(out, "FINDINGS");
  const std::string sentence = FindingsSentence(report);
  if (!sentence.empty()) AppendWrapped(out, "  ", sentence);
  const std::string parts = LargestPartsSentence(report);
  if (!parts.empty()) AppendWrapped(out, "  ", parts);
  const std::string replay = ReplaySentence(report);
  if (!replay.empty()) AppendWrapped(out, "  ", SafeForTerminal(replay));
  const std::size_t shown = full ? findings.rows() : std::min(findings.rows(), kMostLines);
  for (std::size_t row = 0; row < shown; ++row) {
    const bool is_low = findings.String(row, findings->severity) == "low";
    if (full || (!is_low && row < kMostInFull)) {
      AppendFinding(out, report, row, full);
    } else {
      AppendHead(out, report, row);
    }
  }
  if (shown < findings.rows())
    out += fmt::format("  {} more: --full\n", Plural(findings.rows() - shown, "finding"));
  AppendNotEvaluated(out, report, full);
}

}  // namespace rankscope
