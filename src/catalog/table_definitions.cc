#include "catalog/table_definitions.h"

#include "api/table_definition.h"
#include "catalog/tables.h"
#include "json/fields.h"

namespace rankscope::catalog {
namespace {

std::string_view GroupOf(const TableEntry& table) {
  if (table.subject == Subject::kEvents) return "view";
  return table.is_compat ? "compat" : "default";
}

api::TableDefinition DefinitionOf(const TableTopic& topic, const TableEntry& table) {
  api::TableDefinition shown{.name = std::string(table.name),
                             .subject = std::string(ToString(table.subject)),
                             .topic = std::string(topic.title),
                             .group = std::string(GroupOf(table)),
                             .size = table.is_detail ? "detail" : "summary",
                             .summary = std::string(table.summary),
                             .definition = std::string(table.definition),
                             .example = std::string(table.example),
                             .columns = {},
                             .options = {}};
  for (const ColumnSpec& column : table.columns) {
    shown.columns.push_back({.name = std::string(column.name),
                             .type = std::string(ToString(column.type)),
                             .unit = std::string(column.unit),
                             .doc = std::string(column.doc)});
  }
  for (const TableOption& option : table.options) {
    shown.options.push_back({.name = std::string(option.name),
                             .by_default = std::string(option.default_value),
                             .doc = std::string(option.doc)});
  }
  return shown;
}

}  // namespace

std::string TableDefinitionsJson() {
  api::TableDefinitionList list;
  for (const TableTopic* topic : AllTopics()) {
    for (const TableEntry& table : topic->tables)
      list.tables.push_back(DefinitionOf(*topic, table));
  }
  return json::ToJson(list);
}

}  // namespace rankscope::catalog
