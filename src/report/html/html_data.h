// The data of the HTML report: the tables that it draws, as compact JSON that is safe inside a
// <script> element.
//
//   {"job": {...}, "headlines": [...], "sentences": {...},
//    "parts": [{"id": .., "label": .., "idle": ..}],
//    "path_parts": [{"id": .., "label": .., "like": ..}],
//    "host_parts": [{"id": .., "label": .., "like": ..}],
//    "metrics": [{"id": .., "label": ..}],
//    "tables": {"step_spread": {
//      "rows": 9, "options": "bins=200", "kept": [0, 1],
//      "columns": [{"name": .., "type": .., "unit": .., "doc": .., "cells": [..]} |
//                  {.., "dictionary": [..], "index": [..]}]}}}
//
// `rows` counts the table's rows; `kept` has the numbers of those that are embedded and is left out
// when all are; `options` are those with which the table was made, left out for defaults. A table
// without rows has no columns. A column of few distinct cells is a dictionary and an index per row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "report/base/report.h"

namespace rankscope {

void AppendHtmlData(std::string& out, const Report& report);

// What other pages' data is made of, before it is escaped, each member on a line: "NAME": {"rows":
// .., "columns": [..]} of these rows of a table, and the words ("parts" to "metrics").
void WriteTableData(json::Writer& writer, const Table& table, const std::vector<std::size_t>& rows,
                    std::string_view options);
void WriteHtmlWords(json::Writer& writer);

// Inside <script>, "</script" and "<!--" would end or swallow it; "\u003c" means the same to JSON.
std::string EscapedForScript(const std::string& json);

}  // namespace rankscope
