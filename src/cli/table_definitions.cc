#include "cli/table_definitions.h"

#include <span>

#include "catalog/list.h"
#include "json/json_text.h"
#include "sql/query.h"

namespace rankscope::cli {
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

void AppendAnalysis(std::string& out, std::string_view topic, const Analysis& analysis) {
  out += ",{";
  AppendText(out, "name", analysis.name);
  AppendText(out, "topic", topic);
  AppendText(out, "group", analysis.group == Group::kCompat ? "compat" : "default");
  AppendText(out, "size", analysis.size == Size::kSummary ? "summary" : "detail");
  AppendText(out, "summary", analysis.summary);
  AppendText(out, "definition", analysis.definition);
  AppendText(out, "example", analysis.example);
  AppendColumns(out, analysis.columns);
  out += ",\"options\":[";
  for (const OptionSpec& option : analysis.AllOptions()) {
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
  for (const sql::View& view : sql::Views()) {
    out += out.back() == '[' ? "{" : ",{";
    AppendText(out, "name", view.name);
    AppendText(out, "group", "view");
    AppendText(out, "summary", view.summary);
    AppendColumns(out, view.columns);
    out += '}';
  }
  for (const Topic& topic : AllTopics()) {
    for (const Analysis* analysis : topic.analyses) AppendAnalysis(out, topic.title, *analysis);
  }
  return out + "]}";
}

}  // namespace rankscope::cli
