#include "report/html/html_data.h"
#include "report/words/recording_words.h"

#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "report/base/kernel_name.h"
#include "report/base/table_view.h"
#include "report/html/html_tables.h"
#include "report/words/blame_words.h"
#include "report/words/class_words.h"
#include "report/words/finding_words.h"
#include "report/words/gap_words.h"
#include "report/words/headline.h"
#include "report/words/layout_words.h"
#include "report/words/step_words.h"
#include "schemas/diff.h"
#include "schemas/kernels.h"
#include "schemas/stacks.h"
#include "schemas/words.h"
#include "table/write_json.h"

namespace rankscope {
namespace {

constexpr std::size_t kShortNameWidth = 72;

using Rows = std::vector<std::size_t>;

std::string CellText(const Table& table, std::size_t row, std::size_t column) {
  std::string out;
  json::Writer writer(out);
  WriteCell(writer, table, row, column);
  return out;
}

// The cells of a column as they stand, or as a dictionary where that is shorter.
void WriteCells(json::Writer& writer, std::size_t count,
                const std::function<std::string(std::size_t)>& text_of) {
  std::vector<std::string> dictionary;
  std::vector<std::size_t> index;
  std::unordered_map<std::string, std::size_t> number_of;
  index.reserve(count);
  std::size_t plain_bytes = 0;
  std::size_t dictionary_bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = text_of(i);
    plain_bytes += text.size();
    const auto [found, is_new] = number_of.try_emplace(std::move(text), dictionary.size());
    if (is_new) {
      dictionary.push_back(found->first);
      dictionary_bytes += found->first.size();
    }
    index.push_back(found->second);
    dictionary_bytes += std::to_string(found->second).size();
  }
  const bool is_plain = plain_bytes <= dictionary_bytes;
  if (is_plain) {
    writer.Key("cells").BeginArray();
    for (const std::size_t number : index) writer.Raw(dictionary[number]);
    writer.EndArray();
    return;
  }
  writer.Key("dictionary").BeginArray();
  for (const std::string& text : dictionary) writer.Raw(text);
  writer.EndArray().Member("index", index);
}

// Kernel names as the text report shortens them, a column that no table has: `name_of` is empty for
// what is no kernel.
void WriteShortNames(json::Writer& writer, std::string_view column, const Rows& rows,
                     const std::function<std::string_view(std::size_t)>& name_of) {
  writer.BeginObject().Member("name", column).Member("type", "string");
  writer.Member("unit", "").Member("doc", "");
  WriteCells(writer, rows.size(), [&](std::size_t i) {
    const std::string_view name = name_of(rows[i]);
    std::string text;
    json::Writer(text).WriteTextOrNull(name.empty() ? "" : ShortKernelName(name, kShortNameWidth));
    return text;
  });
  writer.EndObject();
}

// T is a table whose column `name` holds names of kernels.
template <typename T>
void WriteNamesOf(json::Writer& writer, const Table& table, const Rows& rows) {
  const RowsOf<T> kernels(&table);
  if (kernels.rows() < table.row_count()) return;
  WriteShortNames(writer, "short_name", rows,
                  [&](std::size_t row) { return kernels.String(row, kernels->name); });
}

// T has names of kernels of both sides of a comparison.
template <typename T>
void WriteNamesOfBoth(json::Writer& writer, const Table& table, const Rows& rows) {
  const RowsOf<T> kernels(&table);
  if (kernels.rows() < table.row_count()) return;
  WriteShortNames(writer, "base_short_name", rows,
                  [&](std::size_t row) { return kernels.String(row, kernels->base_name); });
  WriteShortNames(writer, "test_short_name", rows,
                  [&](std::size_t row) { return kernels.String(row, kernels->test_name); });
}

void WriteKernelNames(json::Writer& writer, const Table& table, const Rows& rows) {
  if (table.name() == KernelsByName::kName) WriteNamesOf<KernelsByName>(writer, table, rows);
  if (table.name() == KernelSteps::kName) WriteNamesOf<KernelSteps>(writer, table, rows);
  if (table.name() == DiffKernels::kName) WriteNamesOfBoth<DiffKernels>(writer, table, rows);
  if (table.name() == DiffPlaces::kName) WriteNamesOfBoth<DiffPlaces>(writer, table, rows);
  if (table.name() == FlameGraph::kName) {
    const RowsOf<FlameGraph> frames(&table);
    if (frames.rows() < table.row_count()) return;
    WriteShortNames(writer, "short_name", rows, [&](std::size_t row) {
      const std::string_view kind = frames.String(row, frames->kind);
      const bool is_kernel = kind == "kernel" || kind == "communication";
      return is_kernel ? frames.String(row, frames->name) : std::string_view();
    });
  }
}

void WriteTable(json::Writer& writer, const Report& report, const Table& table,
                const DrawnTable& drawn) {
  Rows rows = drawn.choose(report, table);
  if (rows.size() > drawn.most) {
    const std::size_t last = rows.back();
    rows.resize(drawn.most);
    if (drawn.keep_last) rows.back() = last;
  }
  WriteTableData(writer, table, rows, drawn.options);
}

void WriteJobOfPage(json::Writer& writer, const Report& report) {
  writer.Key("job").BeginObject().Member("ranks", report.ranks.size());
  writer.Member("world_size", report.StatedWorldSize())
      .Member("devices", report.devices)
      .Member("origin_ns", std::to_string(report.origin_ns))
      .Member("traces", report.traces)
      .Key("not_evaluated")
      .BeginArray();
  for (const auto& [id, reason] : CausesNotEvaluated(report))
    writer.BeginObject().Member("id", id).Member("reason", reason).EndObject();
  writer.EndArray().EndObject();
}

void WriteHeadlines(json::Writer& writer, const Report& report) {
  writer.Line().Key("headlines").BeginArray();
  for (const Headline& headline : Headlines(report)) {
    writer.BeginObject()
        .Member("text", headline.text)
        .Member("part", headline.part)
        .Member("section", headline.section)
        .EndObject();
  }
  writer.EndArray();
}

// What the text report says on findings and on the shape of the job, too.
void WriteSentences(json::Writer& writer, const Report& report) {
  const LayoutSentences layout = DescribeLayout(report);
  const RecordingSentences recording = DescribeRecording(report);
  writer.Line().Key("sentences").BeginObject();
  writer.Member("findings", FindingsSentence(report))
      .Member("refusal", ReplaySentence(report))
      .Member("recording", recording.grave)
      .Member("recording_others", recording.others)
      .Member("layout", layout.roles)
      .Member("layout_warnings", layout.warnings)
      .Member("pipeline", DescribePipeline(report))
      .Member("step_marks", DescribeStepMarks(report))
      .Member("host_lead", DescribeHostLead(report))
      .Member("unknown_kernels", DescribeUnknownKernels(report))
      .Member("blame", DescribeBlame(report))
      .Member("unknown_gaps", DescribeUnknownGaps(report))
      .Member("experts", DescribeExperts(report))
      .EndObject();
}

// Parts that have the colour of the part of device time that they are like.
template <typename Parts>
void WritePartsLike(json::Writer& writer, std::string_view key, const Parts& parts) {
  writer.Line().Key(key).BeginArray();
  for (const auto& part : parts) {
    writer.BeginObject()
        .Member("id", part.id)
        .Member("label", part.label)
        .Member("like", part.like)
        .EndObject();
  }
  writer.EndArray();
}

}  // namespace

void WriteTableData(json::Writer& writer, const Table& table, const Rows& rows,
                    std::string_view options) {
  writer.Line().Key(table.name()).BeginObject().Member("rows", table.row_count());
  if (!options.empty()) writer.Member("options", options);
  if (rows.size() < table.row_count()) writer.Member("kept", rows);
  writer.Key("columns").BeginArray();
  const std::size_t columns = table.row_count() == 0 ? 0 : table.column_count();
  for (std::size_t column = 0; column < columns; ++column) {
    const ColumnSpec& spec = table.columns()[column];
    writer.BeginObject()
        .Member("name", spec.name)
        .Member("type", ToString(spec.type))
        .Member("unit", spec.unit)
        .Member("doc", spec.doc);
    WriteCells(writer, rows.size(),
               [&](std::size_t i) { return CellText(table, rows[i], column); });
    writer.EndObject();
  }
  if (columns > 0) WriteKernelNames(writer, table, rows);
  writer.EndArray().EndObject();
}

// What the page calls things (schemas/words.h).
void WriteHtmlWords(json::Writer& writer) {
  writer.Line().Key("parts").BeginArray();
  for (const auto& part : kParts) {
    writer.BeginObject()
        .Member("id", part.id)
        .Member("label", part.label)
        .Member("idle", part.is_idle)
        .EndObject();
  }
  writer.EndArray();
  WritePartsLike(writer, "path_parts", kPathParts);
  WritePartsLike(writer, "host_parts", kHostParts);
  writer.Line().Key("metrics").BeginArray();
  for (const auto& metric : kMetrics)
    writer.BeginObject().Member("id", metric.id).Member("label", metric.label).EndObject();
  writer.EndArray();
}

std::string EscapedForScript(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

void AppendHtmlData(std::string& out, const Report& report) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject();
  WriteJobOfPage(writer, report);
  WriteHeadlines(writer, report);
  WriteSentences(writer, report);
  WriteHtmlWords(writer);
  writer.Line().Key("tables").BeginObject();
  for (const DrawnTable& drawn : DrawnTables()) {
    if (const Table* const table = report.Find(drawn.name))
      WriteTable(writer, report, *table, drawn);
  }
  writer.EndObject().EndObject();
  out += EscapedForScript(json + "\n");
}

}  // namespace rankscope
