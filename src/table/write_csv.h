// Tables as CSV (RFC 4180): a header line of column names, lines that end in CR LF, fields quoted
// when they hold a comma, a quote, CR or LF.
//
// Values are raw: integers in full, doubles in the shortest text that reads back the same, true and
// false, strings byte for byte. Unknown is an empty field and the empty string is "", so the two
// differ. One pass.
#pragma once

#include <string>

#include "table/table.h"

namespace rankscope {

std::string WriteCsv(const Table& table);

// The same in parts, for rows that come in several tables of these columns.
void AppendCsvHeader(std::string& out, const Table& table);
void AppendCsvRows(std::string& out, const Table& table);

}  // namespace rankscope
