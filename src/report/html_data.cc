#include "report/html_data.h"

#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/json_text.h"
#include "report/blame_words.h"
#include "report/class_words.h"
#include "report/finding_words.h"
#include "report/gap_words.h"
#include "report/headline.h"
#include "report/html_tables.h"
#include "report/kernel_name.h"
#include "report/layout_words.h"
#include "report/step_words.h"
#include "report/table_view.h"
#include "schemas/kernels.h"
#include "schemas/stacks.h"
#include "schemas/words.h"

namespace rankscope {
namespace {

constexpr std::size_t kShortNameWidth = 72;

using Rows = std::vector<std::size_t>;

void AppendMember(std::string& out, std::string_view key, std::string_view value) {
  AppendKey(out, key);
  AppendJsonString(out, value);
}

std::string CellText(const Table& table, std::size_t row, std::size_t column) {
  std::string out;
  if (table.IsNull(row, column)) return "null";
  switch (table.columns()[column].type) {
    case ColumnType::kInt64:
      AppendJsonInteger(out, table.Int(row, column));
      break;
    case ColumnType::kDouble:
      AppendJsonDouble(out, table.Double(row, column));
      break;
    case ColumnType::kString:
      AppendJsonString(out, table.String(row, column));
      break;
    case ColumnType::kBool:
      out = table.Bool(row, column) ? "true" : "false";
  }
  return out;
}

template <typename Append>
void AppendArray(std::string& out, std::string_view key, std::size_t count, const Append& append) {
  AppendKey(out, key);
  out += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out += ',';
    append(i);
  }
  out += ']';
}

// The cells of a column as they stand, or as a dictionary where that is shorter.
void AppendCells(std::string& out, std::size_t count,
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
  if (plain_bytes <= dictionary_bytes) {
    AppendArray(out, "cells", count, [&](std::size_t i) { out += dictionary[index[i]]; });
    return;
  }
  AppendArray(out, "dictionary", dictionary.size(), [&](std::size_t i) { out += dictionary[i]; });
  out += ',';
  AppendArray(out, "index", count, [&](std::size_t i) { out += std::to_string(index[i]); });
}

// Kernel names as the text report shortens them, a column that no table has: `name_of` is empty for
// what is no kernel.
void AppendShortNames(std::string& out, const Rows& rows,
                      const std::function<std::string_view(std::size_t)>& name_of) {
  out += ",{\"name\":\"short_name\",\"type\":\"string\",\"unit\":\"\",\"doc\":\"\",";
  AppendCells(out, rows.size(), [&](std::size_t i) {
    const std::string_view name = name_of(rows[i]);
    if (name.empty()) return std::string("null");
    std::string text;
    AppendJsonString(text, ShortKernelName(name, kShortNameWidth));
    return text;
  });
  out += '}';
}

// T is a table whose column `name` holds names of kernels.
template <typename T>
void AppendNamesOf(std::string& out, const Table& table, const Rows& rows) {
  const RowsOf<T> kernels(&table);
  if (kernels.rows() < table.row_count()) return;
  AppendShortNames(out, rows, [&](std::size_t row) { return kernels.String(row, kernels->name); });
}

void AppendKernelNames(std::string& out, const Table& table, const Rows& rows) {
  if (table.name() == KernelsByName::kName) AppendNamesOf<KernelsByName>(out, table, rows);
  if (table.name() == KernelSteps::kName) AppendNamesOf<KernelSteps>(out, table, rows);
  if (table.name() == FlameGraph::kName) {
    const RowsOf<FlameGraph> frames(&table);
    if (frames.rows() < table.row_count()) return;
    AppendShortNames(out, rows, [&](std::size_t row) {
      const std::string_view kind = frames.String(row, frames->kind);
      const bool is_kernel = kind == "kernel" || kind == "communication";
      return is_kernel ? frames.String(row, frames->name) : std::string_view();
    });
  }
}

void AppendTable(std::string& out, const Report& report, const Table& table,
                 const DrawnTable& drawn) {
  Rows rows = drawn.choose(report, table);
  if (rows.size() > drawn.most) {
    const std::size_t last = rows.back();
    rows.resize(drawn.most);
    if (drawn.keep_last) rows.back() = last;
  }
  AppendTableData(out, table, rows, drawn.options);
}

void AppendJob(std::string& out, const Report& report) {
  out += "\"job\":{\"ranks\":" + std::to_string(report.ranks.size()) + ",\"world_size\":";
  out += report.world_size < 0 ? "null" : std::to_string(report.world_size);
  out += ',';
  AppendArray(out, "devices", report.devices.size(),
              [&](std::size_t i) { AppendJsonString(out, report.devices[i]); });
  out += ',';
  AppendMember(out, "origin_ns", std::to_string(report.origin_ns));
  out += ',';
  const auto causes = CausesNotEvaluated(report);
  AppendArray(out, "not_evaluated", causes.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "id", causes[i].first);
    out += ',';
    AppendMember(out, "reason", causes[i].second);
    out += '}';
  });
  out += '}';
}

void AppendHeadlines(std::string& out, const Report& report) {
  const std::vector<Headline> headlines = Headlines(report);
  AppendArray(out, "headlines", headlines.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "text", headlines[i].text);
    out += ',';
    AppendMember(out, "part", headlines[i].part);
    out += ',';
    AppendMember(out, "section", headlines[i].section);
    out += '}';
  });
}

void AppendSentences(std::string& out, std::string_view key,
                     const std::vector<std::string>& sentences) {
  AppendArray(out, key, sentences.size(),
              [&](std::size_t i) { AppendJsonString(out, sentences[i]); });
}

// What the text report says on findings and on the shape of the job, too.
void AppendAllSentences(std::string& out, const Report& report) {
  const LayoutSentences layout = DescribeLayout(report);
  out += "\"sentences\":{";
  AppendMember(out, "findings", FindingsSentence(report));
  out += ',';
  AppendMember(out, "refusal", ReplaySentence(report));
  out += ',';
  AppendSentences(out, "layout", layout.roles);
  out += ',';
  AppendSentences(out, "layout_warnings", layout.warnings);
  out += ',';
  AppendSentences(out, "pipeline", DescribePipeline(report));
  out += ',';
  AppendSentences(out, "step_marks", DescribeStepMarks(report));
  out += ',';
  AppendSentences(out, "host_lead", DescribeHostLead(report));
  out += ',';
  AppendSentences(out, "unknown_kernels", DescribeUnknownKernels(report));
  out += ',';
  AppendSentences(out, "blame", DescribeBlame(report));
  out += ',';
  AppendSentences(out, "unknown_gaps", DescribeUnknownGaps(report));
  out += ',';
  AppendSentences(out, "experts", DescribeExperts(report));
  out += '}';
}

// Parts that have the colour of the part of device time that they are like.
template <typename Parts>
void AppendPartsLike(std::string& out, std::string_view key, const Parts& parts) {
  AppendArray(out, key, parts.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "id", parts[i].id);
    out += ',';
    AppendMember(out, "label", parts[i].label);
    out += ',';
    AppendMember(out, "like", parts[i].like);
    out += '}';
  });
}

}  // namespace

void AppendTableData(std::string& out, const Table& table, const Rows& rows,
                     std::string_view options) {
  AppendKey(out, table.name());
  out += "{\"rows\":" + std::to_string(table.row_count()) + ',';
  if (!options.empty()) {
    AppendMember(out, "options", options);
    out += ',';
  }
  if (rows.size() < table.row_count()) {
    AppendArray(out, "kept", rows.size(), [&](std::size_t i) { out += std::to_string(rows[i]); });
    out += ',';
  }
  out += "\"columns\":[";
  for (std::size_t column = 0; column < table.column_count(); ++column) {
    const ColumnSpec& spec = table.columns()[column];
    out += column == 0 ? "{" : ",{";
    AppendMember(out, "name", spec.name);
    out += ',';
    AppendMember(out, "type", ToString(spec.type));
    out += ',';
    AppendMember(out, "unit", spec.unit);
    out += ',';
    AppendMember(out, "doc", spec.doc);
    out += ',';
    AppendCells(out, rows.size(), [&](std::size_t i) { return CellText(table, rows[i], column); });
    out += '}';
  }
  AppendKernelNames(out, table, rows);
  out += "]}";
}

// What the page calls things (schemas/words.h).
void AppendHtmlWords(std::string& out) {
  AppendArray(out, "parts", kParts.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "id", kParts[i].id);
    out += ',';
    AppendMember(out, "label", kParts[i].label);
    out += kParts[i].is_idle ? ",\"idle\":true}" : ",\"idle\":false}";
  });
  out += ",\n";
  AppendPartsLike(out, "path_parts", kPathParts);
  out += ",\n";
  AppendPartsLike(out, "host_parts", kHostParts);
  out += ",\n";
  AppendArray(out, "metrics", kMetrics.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "id", kMetrics[i].id);
    out += ',';
    AppendMember(out, "label", kMetrics[i].label);
    out += '}';
  });
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
  std::string json = "{";
  AppendJob(json, report);
  json += ",\n";
  AppendHeadlines(json, report);
  json += ",\n";
  AppendAllSentences(json, report);
  json += ",\n";
  AppendHtmlWords(json);
  json += ",\n\"tables\":{";
  const char* separator = "\n";
  for (const DrawnTable& drawn : DrawnTables()) {
    const Table* table = report.Find(drawn.name);
    if (table == nullptr) continue;
    json += separator;
    separator = ",\n";
    AppendTable(json, report, *table, drawn);
  }
  json += "}}\n";
  out += EscapedForScript(json);
}

}  // namespace rankscope
