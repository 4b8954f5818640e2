#include "report/documents/markdown_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/base/flop_utilisation.h"
#include "report/base/kernel_name.h"
#include "report/base/severity_words.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/finding_words.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/steps.h"
#include "schemas/words.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// A code span: names of ops and kernels, commands.
std::string Code(std::string_view text) {
  std::string safe = SafeForTerminal(text);
  std::replace(safe.begin(), safe.end(), '`', '\'');
  // In a table a bar ends the cell even inside code.
  std::replace(safe.begin(), safe.end(), '|', '/');
  return "`" + safe + "`";
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void AppendTitleAndVerdict(std::string& out, const Report& report) {
  const std::string sentence =
      FindingsSentence(report).empty() ? "No rule was run." : FindingsSentence(report);
  out += fmt::format("**{}**{}\n\n", EscapedMarkdown(sentence), FlopUtilisationSentence(report));
  std::string job;
  AppendTitle(job, report);
  while (job.ends_with('\n')) job.pop_back();
  out += EscapedMarkdown(OneLine(std::move(job))) + "\n";
  const RowsOf<Recording> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view ranks = rows.String(row, rows->ranks);
    out += fmt::format("\n> **Recording** ({}{}): {}\n",
                       EscapedMarkdown(rows.String(row, rows->severity)),
                       ranks.empty() ? "" : ", ranks " + EscapedMarkdown(ranks),
                       EscapedMarkdown(rows.String(row, rows->message)));
  }
  for (const std::string& more : {LargestPartsSentence(report), ReplaySentence(report)}) {
    if (!more.empty()) out += "\n" + EscapedMarkdown(more) + "\n";
  }
}

void AppendFindingTable(std::string& out, const Report& report) {
  const RowsOf<Findings> findings(report);
  if (findings.empty()) return;
  out += "\n| | finding | gain | who | where |\n|---|---|---|---|---|\n";
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    const std::vector<Place> places = ParsePlaces(findings.String(row, findings->places));
    out += fmt::format("| {} | {} | {} | {} | {} |\n",
                       WordsOfSeverity(findings.String(row, findings->severity)).shown,
                       EscapedMarkdown(findings.String(row, findings->id)), GainWords(report, row),
                       EscapedMarkdown(findings.String(row, findings->who)),
                       places.empty() ? "" : Code(PlaceWords(places.front())));
  }
}

// Code among a recommendation stays in its lines.
void AppendItem(std::string& out, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  out += fmt::format("- **{}** ", label);
  bool is_first = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    out += is_first ? EscapedMarkdown(line) : fmt::format("  \n  {}", EscapedMarkdown(line));
    is_first = false;
  }
  out += "\n";
}

void AppendFindingText(std::string& out, const Report& report, std::size_t row) {
  constexpr std::size_t kMostPlaces = 4;
  const RowsOf<Findings> findings(report);
  out +=
      fmt::format("\n### {} ({})\n\n{}\n\n", EscapedMarkdown(findings.String(row, findings->id)),
                  GainWords(report, row),
                  EscapedMarkdown(AsSentence(TitleWords(findings.String(row, findings->title),
                                                        findings.String(row, findings->places)))));
  AppendItem(out, "Why", findings.String(row, findings->why));
  std::string where;
  std::size_t said = 0;
  for (const Place& place : ParsePlaces(findings.String(row, findings->places))) {
    if (said++ == kMostPlaces) break;
    where += (where.empty() ? "" : ", ") + Code(PlaceWords(place));
  }
  if (!where.empty()) out += "- **Where** " + where + "\n";
  AppendItem(out, "Change", findings.String(row, findings->recommendation));
  const std::string command = CommandWords(report, findings.String(row, findings->command));
  if (!command.empty()) out += "- **See** " + Code(command) + "\n";
}

void AppendDetails(std::string& out, std::string_view title, const std::string& body) {
  if (body.empty()) return;
  out += fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title, body);
}

std::string DeviceTime(const Report& report) {
  constexpr double kLeastPct = 0.05;
  const RowsOf<JobBreakdown> parts(report);
  std::string rows;
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto share = parts.Number(row, parts->share_pct);
    if (!share || *share < kLeastPct) continue;
    const auto* words = FindWords(kParts, parts.String(row, parts->part));
    rows += fmt::format("| {} | {} |\n",
                        words == nullptr ? parts.String(row, parts->part) : words->label,
                        HumanValue(share, "%"));
  }
  return rows.empty() ? "" : "| part | share |\n|---|---:|\n" + rows;
}

std::string Kernels(const Report& report) {
  constexpr std::size_t kMost = 10;
  constexpr std::size_t kWidth = 80;
  const RowsOf<KernelsByName> kernels(report);
  std::string rows;
  for (std::size_t row = 0; row < std::min(kernels.rows(), kMost); ++row) {
    rows += fmt::format("| {} | {} | {} | {} |\n",
                        Code(ShortKernelName(kernels.String(row, kernels->name), kWidth)),
                        HumanValue(kernels.Number(row, kernels->share_pct), "%"),
                        HumanValue(kernels.Number(row, kernels->total_ns), "ns"),
                        GroupedInteger(kernels.Int(row, kernels->count).value_or(0)));
  }
  return rows.empty() ? "" : "| kernel | share | time | count |\n|---|---:|---:|---:|\n" + rows;
}

std::string NotLookedFor(const Report& report) {
  std::string list;
  for (const auto& [id, reason] : CausesNotEvaluated(report))
    list += fmt::format("- {}: {}\n", EscapedMarkdown(id), EscapedMarkdown(reason));
  return list;
}

}  // namespace

std::string EscapedMarkdown(std::string_view text) {
  std::string escaped;
  for (const char c : SafeForTerminal(text)) {
    if (c == '<') {
      escaped += "&lt;";
      continue;
    }
    if (std::string_view("\\`*_|[]#~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string MarkdownSummary(const Report& report) {
  std::string out;
  AppendTitleAndVerdict(out, report);
  return out;
}

std::string MarkdownOfFinding(const Report& report, std::size_t row) {
  std::string out;
  AppendFindingText(out, report, row);
  return out;
}

std::string WriteMarkdownReport(const Report& report) {
  std::string out = MarkdownSummary(report);
  AppendFindingTable(out, report);
  for (std::size_t row = 0; row < RowsOf<Findings>(report).rows(); ++row)
    AppendFindingText(out, report, row);
  AppendDetails(out, "Where device time goes", DeviceTime(report));
  AppendDetails(out, "Kernels with the most time", Kernels(report));
  AppendDetails(out, "What could not be looked for", NotLookedFor(report));
  return out;
}

}  // namespace rankscope
