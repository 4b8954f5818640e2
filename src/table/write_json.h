// Tables as JSON, the form of `--format json`, reports and the HTTP interface:
//
//   {"columns":[{"name":"rank","type":"int64","unit":""}],"rows":[[0],[null]]}
//
// Unknown is null; integers beyond 2^53 are strings; doubles read back as the same double. One
// pass, about 100 ns per row of a handful of cells.
#pragma once

#include <string>

#include "json/writer.h"
#include "table/table.h"

namespace rankscope {

// For reports with many tables.
void WriteTableJson(json::Writer& writer, const Table& table);
// Only its members "columns" and "rows", for objects with other members.
void WriteTableMembers(json::Writer& writer, const Table& table);
// The same in parts, for rows that come in several tables of these columns: the first member as a
// whole, and the values of an array that the caller begins and ends.
void WriteTableColumns(json::Writer& writer, const Table& table);
void WriteTableRows(json::Writer& writer, const Table& table, std::size_t first, std::size_t end);
void WriteCell(json::Writer& writer, const Table& table, std::size_t row, std::size_t column);

std::string WriteJson(const Table& table);

// JSON Lines: an object per row, {"rank":0,"dur_ns":null}, with a newline after each, so rows can
// be appended. Values as above; columns with the same name get a suffix (column_names.h).
void AppendJsonLines(std::string& out, const Table& table);

}  // namespace rankscope
