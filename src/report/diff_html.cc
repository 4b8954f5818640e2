#include <algorithm>
#include <numeric>
#include <utility>

#include "json/json_text.h"
#include "report/diff_report.h"
#include "report/html_data.h"
#include "report/html_page.h"
#include "report/table_view.h"
#include "schemas/diff.h"

namespace rankscope {
namespace {

// What a page draws: the rows are sorted, the largest change first.
constexpr std::size_t kMostRows = 500;
// Frames below this share of all are left out of the flame graph: it could not show them.
constexpr double kLeastShare = 0.0005;

using Rows = std::vector<std::size_t>;

// A frame's time is at most that of the one around it, so what is kept is a tree.
Rows LargeFrames(const Table& table) {
  const RowsOf<DiffCallTree> frames(&table);
  Rows rows;
  const auto both = [&](std::size_t row) {
    return *frames.Number(row, frames->base_ns) + *frames.Number(row, frames->test_ns);
  };
  for (std::size_t row = 0; row < frames.rows(); ++row) {
    if (row == 0 || both(row) >= kLeastShare * both(0)) rows.push_back(row);
  }
  return rows;
}

Rows FirstRows(const Table& table) {
  Rows rows(std::min(table.row_count(), kMostRows));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

void AppendTexts(std::string& out, std::string_view key, const std::vector<std::string>& texts) {
  AppendKey(out, key);
  out += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) out += ',';
    AppendJsonString(out, texts[i]);
  }
  out += "],\n";
}

void AppendText(std::string& out, std::string_view key, std::string_view text) {
  AppendKey(out, key);
  AppendJsonString(out, text);
  out += ",\n";
}

}  // namespace

std::string WriteDiffView(const DiffReport& report) {
  std::vector<std::string> notes;
  const RowsOf<DiffNotes> of_notes(report.Find(DiffNotes::kName));
  for (std::size_t row = 0; row < of_notes.rows(); ++row)
    notes.emplace_back(of_notes.String(row, of_notes->note));
  std::string json = "{\"compares\":true,\n";
  AppendText(json, "headline", DiffHeadline(report));
  AppendText(json, "base", report.base.traces);
  AppendText(json, "test", report.test.traces);
  AppendTexts(json, "reasons", DiffReasons(report));
  AppendTexts(json, "notes", notes);
  AppendHtmlWords(json);
  json += ",\n\"tables\":{";
  const char* separator = "\n";
  for (const Table& table : report.tables) {
    json += separator;
    separator = ",\n";
    AppendTableData(json, table,
                    table.name() == DiffCallTree::kName ? LargeFrames(table) : FirstRows(table),
                    "");
  }
  return EscapedForScript(json + "}}\n");
}

std::string WriteDiffHtml(const DiffReport& report) {
  return WriteHtmlPage({.title = "rankscope diff",
                        .without_script =
                            "This page draws its tables with JavaScript. Without it: rankscope "
                            "diff BASE TEST writes them as text.",
                        .style = &DiffStyle(),
                        .data = WriteDiffView(report),
                        .script = &DiffScript()});
}

}  // namespace rankscope
