#include "api/table_definition.h"

#include "json/fields.h"

namespace rankscope::json {

using api::ColumnDefinition;
using api::OptionDefinition;
using api::TableDefinition;
using api::TableDefinitionList;

namespace {

constexpr std::size_t kMostDefinitionText = 20'000;
constexpr std::size_t kMostTables = 10'000;

Field DefinitionText(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .most_bytes = kMostDefinitionText};
}

}  // namespace

template <>
const Fields<ColumnDefinition>& FieldsOf() {
  using T = ColumnDefinition;
  static const Fields<T> fields = Fields<T>("ColumnDefinition", "a column of a table", Use::kReport)
                                      .Add<&T::name>({.name = "name", .doc = "name of the column"})
                                      .Add<&T::type>({.name = "type", .doc = "such as int64"})
                                      .Add<&T::unit>({.name = "unit", .doc = "empty: none"})
                                      .Add<&T::doc>(DefinitionText("doc", "what it holds"));
  return fields;
}

template <>
const Fields<OptionDefinition>& FieldsOf() {
  using T = OptionDefinition;
  static const Fields<T> fields =
      Fields<T>("OptionDefinition", "an option of a table", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "name of the option"})
          .Add<&T::by_default>(DefinitionText("default", "value without it"))
          .Add<&T::doc>(DefinitionText("doc", "what it does"));
  return fields;
}

template <>
const Fields<TableDefinition>& FieldsOf() {
  using T = TableDefinition;
  static const Fields<T> fields =
      Fields<T>("TableDefinition", "what a table is", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "name of the table"})
          .Add<&T::subject>(
              {.name = "subject",
               .doc = "what it is made of: events, job, pair, snapshot, dumps, serving"})
          .Add<&T::topic>({.name = "topic", .doc = "under which it is listed"})
          .Add<&T::group>({.name = "group", .doc = "view, default or compat"})
          .Add<&T::size>({.name = "size", .doc = "summary or detail"})
          .Add<&T::summary>(DefinitionText("summary", "a line"))
          .Add<&T::definition>(DefinitionText("definition", "words and formula"))
          .Add<&T::example>(DefinitionText("example", "a command that prints it"))
          .Add<&T::columns>(
              {.name = "columns", .doc = "columns of its rows, in their order", .most_items = 1000})
          .Add<&T::options>({.name = "options", .doc = "options that change its rows"});
  return fields;
}

template <>
const Fields<TableDefinitionList>& FieldsOf() {
  using T = TableDefinitionList;
  static const Fields<T> fields =
      Fields<T>("TableDefinitionList", "every table", Use::kReport)
          .Add<&T::tables>(
              {.name = "tables", .doc = "tables of all subjects", .most_items = kMostTables});
  return fields;
}

}  // namespace rankscope::json
