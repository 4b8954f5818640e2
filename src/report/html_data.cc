#include "report/html_data.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "report/headline.h"
#include "report/kernel_name.h"
#include "report/table_view.h"
#include "report/wording.h"
#include "table/json_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kShortNameWidth = 72;

using Rows = std::vector<std::size_t>;

Rows AllRows(const Report&, const Table& table) {
  Rows rows(table.row_count());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// The row over all ranks of every bin: a thousand ranks' own bins cannot be told apart in a plot.
Rows OfAllRanks(const Report&, const Table& table) {
  Rows rows;
  const TableView view(&table);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (!view.Int(row, "rank")) rows.push_back(row);
  }
  return rows;
}

Rows LeftOut(const Report&, const Table& table) {
  Rows rows;
  const TableView view(&table);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (!view.Flag(row, "analysed")) rows.push_back(row);
  }
  return rows;
}

// Only drawn for jobs without device work.
Rows OfHostOnlyJob(const Report& report, const Table& table) {
  if (!TableView(report, "job_breakdown").empty()) return {};
  return AllRows(report, table);
}

struct Drawn {
  std::string_view table;
  Rows (*choose)(const Report&, const Table&);
  std::size_t most;  // rows embedded, from the front
  bool keep_last;    // the last row is the summary of all others
};

constexpr std::array<Drawn, 11> kDrawn = {{
    {"step_spread", AllRows, 5000, true},
    {"job_breakdown", AllRows, 100, false},
    {"rank_breakdown", AllRows, 200'000, false},
    {"rank_metrics", AllRows, 400'000, false},
    {"over_ranks", AllRows, 2000, false},
    {"kernels_by_name", AllRows, 100, false},
    {"kernel_steps", AllRows, 20'000, false},
    {"copy_bandwidth", OfAllRanks, 5000, false},
    {"host_breakdown", OfHostOnlyJob, 2000, false},
    {"captures", LeftOut, 100, false},
    {"data_quality", AllRows, 100, false},
}};

void AppendKey(std::string& out, std::string_view key) {
  AppendJsonString(out, key);
  out += ':';
}

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

void AppendCells(std::string& out, const Table& table, const Rows& rows, std::size_t column) {
  std::vector<std::string> dictionary;
  std::vector<std::size_t> index;
  std::unordered_map<std::string, std::size_t> number_of;
  index.reserve(rows.size());
  std::size_t plain_bytes = 0;
  std::size_t dictionary_bytes = 0;
  for (const std::size_t row : rows) {
    std::string text = CellText(table, row, column);
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
    AppendArray(out, "cells", rows.size(), [&](std::size_t i) { out += dictionary[index[i]]; });
    return;
  }
  AppendArray(out, "dictionary", dictionary.size(), [&](std::size_t i) { out += dictionary[i]; });
  out += ',';
  AppendArray(out, "index", rows.size(), [&](std::size_t i) { out += std::to_string(index[i]); });
}

// Kernel names as the text report shortens them, a column that no table has.
void AppendShortNames(std::string& out, const Table& table, const Rows& rows, std::size_t column) {
  out += ",{\"name\":\"short_name\",\"type\":\"string\",\"unit\":\"\",\"doc\":\"\",";
  AppendArray(out, "cells", rows.size(), [&](std::size_t i) {
    AppendJsonString(out, table.IsNull(rows[i], column)
                              ? std::string()
                              : ShortKernelName(table.String(rows[i], column), kShortNameWidth));
  });
  out += '}';
}

void AppendTable(std::string& out, const Report& report, const Table& table, const Drawn& drawn) {
  Rows rows = drawn.choose(report, table);
  if (rows.size() > drawn.most) {
    const std::size_t last = rows.back();
    rows.resize(drawn.most);
    if (drawn.keep_last) rows.back() = last;
  }
  AppendKey(out, table.name());
  out += "{\"rows\":" + std::to_string(table.row_count());
  if (rows.size() < table.row_count()) {
    out += ',';
    AppendArray(out, "kept", rows.size(), [&](std::size_t i) { out += std::to_string(rows[i]); });
  }
  out += ",\"columns\":[";
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
    AppendCells(out, table, rows, column);
    out += '}';
  }
  const bool has_kernels = table.name() == "kernels_by_name" || table.name() == "kernel_steps";
  const auto name = table.Find("name");
  if (has_kernels && name && table.columns()[*name].type == ColumnType::kString)
    AppendShortNames(out, table, rows, *name);
  out += "]}";
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
  AppendArray(out, "not_evaluated", report.not_evaluated.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "id", report.not_evaluated[i].first);
    out += ',';
    AppendMember(out, "reason", report.not_evaluated[i].second);
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

void AppendParts(std::string& out) {
  AppendArray(out, "parts", kParts.size(), [&](std::size_t i) {
    out += '{';
    AppendMember(out, "id", kParts[i].id);
    out += ',';
    AppendMember(out, "label", kParts[i].label);
    out += '}';
  });
}

// Inside <script>, "</script" and "<!--" would end or swallow it; "\u003c" means the same to JSON.
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

}  // namespace

void AppendHtmlData(std::string& out, const Report& report) {
  std::string json = "{";
  AppendJob(json, report);
  json += ",\n";
  AppendHeadlines(json, report);
  json += ",\n";
  AppendParts(json);
  json += ",\n\"tables\":{";
  const char* separator = "\n";
  for (const Drawn& drawn : kDrawn) {
    const Table* table = report.Find(drawn.table);
    if (table == nullptr) continue;
    json += separator;
    separator = ",\n";
    AppendTable(json, report, *table, drawn);
  }
  json += "}}\n";
  out += EscapedForScript(json);
}

}  // namespace rankscope
