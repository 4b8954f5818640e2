#include "catalog/table_definitions.h"

#include "catalog/tables.h"
#include "json/writer.h"

namespace rankscope::catalog {
namespace {

std::string_view GroupOf(const TableEntry& table) {
  if (table.subject == Subject::kEvents) return "view";
  return table.is_compat ? "compat" : "default";
}

void Write(const TableTopic& topic, const TableEntry& table, json::Writer& out) {
  out.BeginObject()
      .Member("name", table.name)
      .Member("subject", ToString(table.subject))
      .Member("topic", topic.title)
      .Member("group", GroupOf(table))
      .Member("size", table.is_detail ? "detail" : "summary")
      .Member("summary", table.summary)
      .Member("definition", table.definition)
      .Member("example", table.example);
  out.Key("columns").BeginArray();
  for (const ColumnSpec& column : table.columns) {
    out.BeginObject()
        .Member("name", column.name)
        .Member("type", ToString(column.type))
        .Member("unit", column.unit)
        .Member("doc", column.doc)
        .EndObject();
  }
  out.EndArray().Key("options").BeginArray();
  for (const TableOption& option : table.options) {
    out.BeginObject()
        .Member("name", option.name)
        .Member("default", option.default_value)
        .Member("doc", option.doc)
        .EndObject();
  }
  out.EndArray().EndObject();
}

}  // namespace

std::string TableDefinitionsJson() {
  std::string text;
  json::Writer out(text);
  out.BeginObject().Key("tables").BeginArray();
  for (const TableTopic* topic : AllTopics()) {
    for (const TableEntry& table : topic->tables) Write(*topic, table, out);
  }
  out.EndArray().EndObject();
  return text;
}

}  // namespace rankscope::catalog
