#include "report/serving/serving_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "json/writer.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/documents/json_cells.h"
#include "report/documents/markdown_report.h"
#include "report/documents/measured_findings.h"
#include "report/serving/load_words.h"
#include "report/serving/serving_words.h"
#include "report/serving/tuning_words.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kServingReportMostLines = 25;
constexpr std::size_t kFewLevels = 4;
constexpr std::array<std::string_view, 6> kHeads = {"stage", "share", "mean", "p50", "p90", "p99"};

// Tables whose rows follow requests, iterations or samples.
bool IsOfOneRequest(std::string_view name) {
  return name == ServingRequests::kName || name == ServingIterations::kName;
}

// What requests tell is followed by what metrics tell, where these tell more.
bool BeginsMetrics(const ServingView& view, std::size_t row) {
  return row > 0 && view.stages.String(row, view.stages->from) !=
                        view.stages.String(row - 1, view.stages->from);
}

// "600 requests, at 8.33 a second".
std::string StagesOf(const ServingView& view) {
  const std::string at = FocusWords(view);
  return StagesFrom(view) + (at.empty() ? "" : ", " + at);
}

void AppendStages(std::string& out, const ServingView& view) {
  if (view.stages.empty()) return;
  AppendHeading(out, fmt::format("WHERE THE TIME OF REQUESTS GOES ({})", StagesOf(view)));
  const auto line = [&](const auto& cells) {
    out += fmt::format("  {:<12}", cells[0]);
    for (std::size_t i = 1; i < kHeads.size(); ++i) out += fmt::format(" {:>10}", cells[i]);
    out += '\n';
  };
  line(kHeads);
  for (std::size_t row = 0; row < view.stages.rows(); ++row) {
    if (BeginsMetrics(view, row)) out += "  by the server's metrics\n";
    line(StageCells(view, row));
  }
}

void AppendLevels(std::string& out, const ServingView& view) {
  if (view.levels.empty()) return;
  AppendHeading(out, fmt::format("LOAD ({})", Plural(view.levels.rows(), "level")));
  const auto line = [&](const auto& cells) {
    std::string text = fmt::format("  {:<10}{:>8}{:>8}", cells[0], cells[1], cells[2]);
    for (std::size_t i = 3; i < 7; ++i) text += fmt::format("{:>9}", cells[i]);
    text += fmt::format("{:>7}  {}", cells[7], cells[8]);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line(kLevelHeads);
  for (std::size_t row = 0; row < view.levels.rows(); ++row) line(LevelCells(view, row));
  for (const std::string& sentence : LevelSentences(view)) AppendWrapped(out, "  ", sentence);
}

// As many as there is room for: the last ones are the finals.
void AppendTrials(std::string& out, const ServingView& view) {
  constexpr std::size_t kRoom = 16;
  if (view.trials.empty()) return;
  AppendHeading(out, fmt::format("TRIALS ({})", Plural(view.trials.rows(), "trial")));
  const auto line = [&](const auto& cells) {
    AppendWrapped(out,
                  fmt::format("  {:>3} {:<8} {:>8} {:<6} ", cells[0], cells[1], cells[2], cells[3]),
                  SafeForTerminal(std::string(cells[4])));
  };
  line(kTrialHeads);
  const std::size_t rows = view.trials.rows();
  for (std::size_t row = rows > kRoom ? rows - kRoom : 0; row < rows; ++row)
    line(TrialCells(view, row));
}

}  // namespace

const Table* ServingReport::Find(std::string_view name) const {
  const auto found = std::ranges::find(tables, name, &Table::name);
  return found == tables.end() ? nullptr : &*found;
}

std::string WriteServingText(const ServingReport& report, const ServingTextOptions& options) {
  const ServingView view(report);
  std::string out;
  AppendWrapped(out, "", SafeForTerminal(ServingHeadlineOf(view)) + ".");
  if (!view.tunings.empty()) {
    AppendTrials(out, view);
    return Resolve(out, options.colour);
  }
  AppendLevels(out, view);
  // Beside many levels there is no room for both; the levels are what was asked for.
  if (view.levels.rows() < kFewLevels || view.findings.empty()) AppendStages(out, view);
  std::string findings;
  if (!view.findings.empty()) {
    AppendWorstFinding(findings, view.findings, AsSentence(GainWords(view, 0)));
    AppendOtherFindings(findings, view.findings, "serving_findings");
  }
  std::string facts;
  for (const ServingLine& line : ServingLines(view)) {
    std::string text;
    AppendWrapped(text, fmt::format("  {:<9}", line.name), SafeForTerminal(line.text));
    // What comes first tells most; the rest is in tables.
    if (LinesOf(out) + 1 + LinesOf(facts) + LinesOf(text) + LinesOf(findings) >
        kServingReportMostLines)
      break;
    facts += text;
  }
  if (!facts.empty()) out += '\n' + facts;
  out += findings;
  const std::string notes = CountNotes(view.notes);
  if (LinesOf(out) + 3 <= kServingReportMostLines && !notes.empty()) {
    out += '\n';
    AppendWrapped(out, "  ", notes + ": --table serving_notes");
  }
  return Resolve(out, options.colour);
}

std::string WriteServingJson(const ServingReport& report) {
  const ServingView view(report);
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.serving/1");
  writer.Line().Member("headline", ServingHeadlineOf(view));
  const auto& rows = view.findings;
  WriteMeasuredFindings(writer, rows, view.notes, [&](std::size_t row) {
    writer.Member("model_error_pct", rows.Number(row, rows->model_error_pct));
  });
  std::vector<Table> tables;
  for (const Table& table : report.tables)
    if (!IsOfOneRequest(table.name())) tables.push_back(table);
  WriteTables(writer.Line(), tables);
  writer.EndObject();
  return out + "\n";
}

std::string WriteServingMarkdown(const ServingReport& report) {
  const ServingView view(report);
  std::string out = fmt::format("# {}.\n", EscapedMarkdown(ServingHeadlineOf(view)));
  if (!view.trials.empty()) {
    out += "\n## Trials\n\n|";
    for (const std::string_view head : kTrialHeads) out += fmt::format(" {} |", head);
    out += "\n|---:|---|---:|---|---|\n";
    for (std::size_t row = 0; row < view.trials.rows(); ++row) {
      out += '|';
      for (const std::string& cell : TrialCells(view, row))
        out += fmt::format(" {} |", EscapedMarkdown(cell));
      out += '\n';
    }
  }
  if (!view.levels.empty()) {
    out += "\n## Load\n\n|";
    for (const std::string_view head : kLevelHeads) out += fmt::format(" {} |", head);
    out += "\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n";
    for (std::size_t row = 0; row < view.levels.rows(); ++row) {
      out += '|';
      for (const std::string& cell : LevelCells(view, row))
        out += fmt::format(" {} |", EscapedMarkdown(cell));
      out += '\n';
    }
    for (const std::string& sentence : LevelSentences(view))
      out += fmt::format("\n{}\n", EscapedMarkdown(sentence));
  }
  if (!view.stages.empty()) {
    out += fmt::format("\n## Where the time of requests goes ({})\n\n", StagesOf(view));
    const auto line = [&](const auto& cells) {
      out += '|';
      for (const auto& cell : cells) out += fmt::format(" {} |", EscapedMarkdown(cell));
      out += '\n';
    };
    line(kHeads);
    out += "|---|---:|---:|---:|---:|---:|\n";
    for (std::size_t row = 0; row < view.stages.rows(); ++row) {
      if (BeginsMetrics(view, row)) out += "| *by the server's metrics* | | | | | |\n";
      line(StageCells(view, row));
    }
  }
  const std::vector<ServingLine> lines = ServingLines(view);
  if (!lines.empty()) out += '\n';
  for (const ServingLine& line : lines)
    out += fmt::format("- **{}**: {}\n", line.name, EscapedMarkdown(line.text));
  AppendMeasuredMarkdown(out, view.findings, view.notes,
                         [&](std::size_t row) { return AsSentence(GainWords(view, row)); });
  return out;
}

}  // namespace rankscope
