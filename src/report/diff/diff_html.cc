#include <algorithm>
#include <numeric>
#include <utility>

#include "json/writer.h"
#include "report/base/table_view.h"
#include "report/diff/diff_report.h"
#include "report/html/html_data.h"
#include "report/html/html_page.h"
#include "schemas/diff.h"

namespace rankscope {
namespace {

// What a page draws: the rows are sorted, the largest change first.
constexpr std::size_t kDiffHtmlMostRows = 500;
// Frames below this share of all are left out of the flame graph: it could not show them.
constexpr double kDiffHtmlLeastShare = 0.0005;

using Rows = std::vector<std::size_t>;

// A frame's time is at most that of the one around it, so what is kept is a tree.
Rows LargeFrames(const Table& table) {
  const RowsOf<DiffCallTree> frames(&table);
  Rows rows;
  const auto both = [&](std::size_t row) {
    return *frames.Number(row, frames->base_ns) + *frames.Number(row, frames->test_ns);
  };
  for (std::size_t row = 0; row < frames.rows(); ++row) {
    if (row == 0 || both(row) >= kDiffHtmlLeastShare * both(0)) rows.push_back(row);
  }
  return rows;
}

Rows FirstRows(const Table& table) {
  Rows rows(std::min(table.row_count(), kDiffHtmlMostRows));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace

std::string WriteDiffView(const DiffReport& report) {
  std::vector<std::string> notes;
  const RowsOf<DiffNotes> of_notes(report.Find(DiffNotes::kName));
  for (std::size_t row = 0; row < of_notes.rows(); ++row)
    notes.emplace_back(of_notes.String(row, of_notes->note));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("compares", true);
  writer.Line().Member("headline", DiffHeadline(report));
  writer.Line().Member("base", report.base.traces);
  writer.Line().Member("test", report.test.traces);
  writer.Line().Member("reasons", DiffReasons(report));
  writer.Line().Member("notes", notes);
  WriteHtmlWords(writer);
  writer.Line().Key("tables").BeginObject();
  for (const Table& table : report.tables) {
    const bool is_tree = table.name() == DiffCallTree::kName;
    WriteTableData(writer, table, is_tree ? LargeFrames(table) : FirstRows(table), "");
  }
  writer.EndObject().EndObject();
  return EscapedForScript(json + "\n");
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
