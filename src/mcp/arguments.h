// The arguments of the tools, each declared once: parsing, validation and the schemas for clients
// derive from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json/fields.h"

namespace rankscope::mcp {

inline constexpr std::int64_t kMostRows = 1000;  // per answer

struct FindingsArguments {};

struct ExplainArguments {
  std::string id;  // "": all
};

struct TableArguments {
  std::string name;
  std::vector<std::string> filter;  // table/condition.h
  std::vector<std::string> sort;    // as RowSelection::sort
  std::vector<std::string> columns;
  std::int64_t limit = 50;
  std::map<std::string, std::string> set;
};

struct QueryArguments {
  std::string sql;
  std::int64_t limit = 50;
};

struct WhatIfArguments {
  std::vector<std::string> changes;
};

struct DiffArguments {
  std::string base, test;              // paths; "": the served job
  std::string base_ranks, test_ranks;  // "0,4-7"; "": all
  std::string table;                   // table of the comparison whose rows are wanted; "": none
  std::int64_t limit = 20;
};

struct FixArguments {
  std::string source;  // folder of the code; "": the code that a server got with its run
  std::string id;      // of a finding; "": all
};

}  // namespace rankscope::mcp

namespace rankscope::json {

template <>
const Fields<mcp::FindingsArguments>& FieldsOf();
template <>
const Fields<mcp::ExplainArguments>& FieldsOf();
template <>
const Fields<mcp::TableArguments>& FieldsOf();
template <>
const Fields<mcp::QueryArguments>& FieldsOf();
template <>
const Fields<mcp::WhatIfArguments>& FieldsOf();
template <>
const Fields<mcp::DiffArguments>& FieldsOf();
template <>
const Fields<mcp::FixArguments>& FieldsOf();

}  // namespace rankscope::json
