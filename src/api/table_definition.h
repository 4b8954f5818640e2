// Definitions of tables: subject, columns and options.
#pragma once

#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct ColumnDefinition {
  std::string name, type, unit, doc;
};

struct OptionDefinition {
  std::string name, by_default, doc;
};

struct TableDefinition {
  std::string name, subject, topic, group, size, summary, definition, example;
  std::vector<ColumnDefinition> columns;
  std::vector<OptionDefinition> options;
};

struct TableDefinitionList {
  std::vector<TableDefinition> tables;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::ColumnDefinition>& FieldsOf();
template <>
const Fields<api::OptionDefinition>& FieldsOf();
template <>
const Fields<api::TableDefinition>& FieldsOf();
template <>
const Fields<api::TableDefinitionList>& FieldsOf();

}  // namespace rankscope::json
