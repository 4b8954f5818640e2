#include "app/table_definitions.h"

#include <span>

#include "app/definitions.h"
#include "json/json_text.h"

namespace rankscope::app {
namespace {

void AppendText(std::string& out, std::string_view name, std::string_view text) {
  if (out.back() != '{') out += ',';
  AppendJsonString(out, name);
  out += ':';
  AppendJsonString(out, text);
}

void AppendColumns(std::string& out, std::span<const ColumnSpec> columns) {
  out += ",\"columns\":[";
  for (const ColumnSpec& column : columns) {
    out += out.back() == '[' ? "{" : ",{";
    AppendText(out, "name", column.name);
    AppendText(out, "type", ToString(column.type));
    AppendText(out, "unit", column.unit);
    AppendText(out, "doc", column.doc);
    out += '}';
  }
  out += ']';
}

void AppendTable(std::string& out, const TableGroup& group, const TableDefinition& table) {
  out += out.back() == '[' ? "{" : ",{";
  AppendText(out, "name", table.name);
  if (group.subject == Subject::kEvents) {
    AppendText(out, "group", "view");
    AppendText(out, "summary", table.summary);
    AppendColumns(out, table.columns);
    out += '}';
    return;
  }
  AppendText(out, "topic", group.title);
  AppendText(out, "group", group.is_compat ? "compat" : "default");
  AppendText(out, "size", table.is_detail ? "detail" : "summary");
  AppendText(out, "summary", table.summary);
  AppendText(out, "definition", table.definition);
  AppendText(out, "example", table.example);
  AppendColumns(out, table.columns);
  out += ",\"options\":[";
  for (const TableOption& option : table.options) {
    out += out.back() == '[' ? "{" : ",{";
    AppendText(out, "name", option.name);
    AppendText(out, "default", option.default_value);
    AppendText(out, "doc", option.doc);
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string TableDefinitionsJson() {
  std::string out = "{\"tables\":[";
  for (const TableGroup& group : TableGroups()) {
    if (group.subject != Subject::kEvents && group.subject != Subject::kJob) continue;
    for (const TableDefinition& table : group.tables) AppendTable(out, group, table);
  }
  return out + "]}";
}

}  // namespace rankscope::app
