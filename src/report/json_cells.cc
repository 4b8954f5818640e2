#include "report/json_cells.h"

#include "json/json_text.h"
#include "report/finding_words.h"
#include "table/write_json.h"

namespace rankscope {
namespace {

// Cells that hold JSON go in as they are.
void AppendRawList(std::string& out, std::string_view json) { out += json.empty() ? "[]" : json; }

}  // namespace

// Null when empty, which is unknown.
void AppendText(std::string& out, std::string_view text) {
  if (text.empty()) {
    out += "null";
  } else {
    AppendJsonString(out, text);
  }
}

void AppendNumber(std::string& out, std::optional<double> value) {
  if (value) {
    AppendJsonDouble(out, *value);
  } else {
    out += "null";
  }
}

void AppendInteger(std::string& out, std::optional<std::int64_t> value) {
  if (value) {
    AppendJsonInteger(out, *value);
  } else {
    out += "null";
  }
}

void AppendList(std::string& out, const std::vector<std::int64_t>& values) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    AppendJsonInteger(out, values[i]);
  }
  out += ']';
}

void AppendTables(std::string& out, std::span<const Table> tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    AppendKey(out, tables[i].name());
    AppendTableJson(out, tables[i]);
  }
}

void AppendFinding(std::string& out, const RowsOf<Findings>& findings, std::size_t row) {
  const auto text = [&](std::string_view key, auto column) {
    out += ',';
    AppendKey(out, key);
    AppendText(out, findings.String(row, column));
  };
  const auto integer = [&](std::string_view key, auto column) {
    out += ',';
    AppendKey(out, key);
    AppendInteger(out, findings.Int(row, column));
  };
  out += "{\"id\":";
  AppendJsonString(out, findings.String(row, findings->id));
  text("severity", findings->severity);
  out += ",\"confidence\":";
  AppendNumber(out, findings.Number(row, findings->confidence));
  out += ",\"ranks\":";
  AppendList(out, ParseRanges(findings.String(row, findings->ranks)));
  out += ",\"steps\":";
  AppendList(out, ParseRanges(findings.String(row, findings->steps)));
  integer("time_lost_ns", findings->time_lost_ns);
  out += ",\"gain_pct\":";
  AppendNumber(out, findings.Number(row, findings->gain_pct));
  integer("gain_ns", findings->gain_ns);
  text("gain_method", findings->gain_method);
  integer("time_to_failure_ns", findings->time_to_failure_ns);
  text("title", findings->title);
  text("why", findings->why);
  text("who", findings->who);
  text("recommendation", findings->recommendation);
  text("command", findings->command);
  out += ",\"where\":";
  AppendRawList(out, findings.String(row, findings->places));
  out += ",\"evidence\":";
  AppendRawList(out, findings.String(row, findings->evidence));
  out += '}';
}

}  // namespace rankscope
