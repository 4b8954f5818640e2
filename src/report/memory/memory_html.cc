#include <algorithm>
#include <numeric>
#include <utility>

#include "json/writer.h"
#include "report/html/html_data.h"
#include "report/html/html_page.h"
#include "report/memory/memory_report.h"
#include "schemas/snapshot.h"

namespace rankscope {
namespace {

// Rows of lists are sorted, the largest first; blocks and points are what plots draw.
constexpr std::size_t kMostListed = 500;
constexpr std::size_t kMostDrawn = 20'000;

std::size_t MostRows(const Table& table) {
  const std::string_view name = table.name();
  const bool is_list = name == SnapshotPeak::kName || name == SnapshotStacks::kName ||
                       name == SnapshotLeaks::kName || name == SnapshotSegments::kName;
  return is_list ? kMostListed : kMostDrawn;
}

// Points of a timeline, evenly thinned where there are too many.
std::vector<std::size_t> RowsOfPage(const Table& table) {
  const std::size_t most = MostRows(table);
  std::vector<std::size_t> rows(std::min(table.row_count(), most));
  if (table.name() != HtaMemoryTimeline::kName || table.row_count() <= most) {
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i * table.row_count() / rows.size();
  return rows;
}

}  // namespace

std::string WriteMemoryView(const MemoryReport& report) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("is_timeline", report.is_timeline);
  writer.Line().Member("path", report.path);
  writer.Line().Member("later", report.later);
  writer.Line().Member("settings", report.settings);
  writer.Line().Key("devices").BeginArray();
  for (const MemoryWords& words : WordsOfMemory(report)) {
    writer.BeginObject()
        .Member("headline", words.headline)
        .Member("reasons", words.reasons)
        .EndObject();
  }
  writer.EndArray();
  WriteHtmlWords(writer);
  writer.Line().Key("tables").BeginObject();
  for (const Table& table : report.tables) WriteTableData(writer, table, RowsOfPage(table), "");
  writer.EndObject().EndObject();
  return EscapedForScript(json + "\n");
}

std::string WriteMemoryHtml(const MemoryReport& report) {
  return WriteHtmlPage({.title = "rankscope memory",
                        .without_script =
                            "This page draws its plots with JavaScript. Without it: rankscope "
                            "memory SNAPSHOT writes them as text.",
                        .style = &MemoryStyle(),
                        .data = WriteMemoryView(report),
                        .script = &MemoryScript()});
}

}  // namespace rankscope
