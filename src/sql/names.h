// Names of columns and files in SQL.
#pragma once

#include <string>
#include <string_view>

#include "sql/duckdb_handle.h"

namespace rankscope::sql {

// In double quotes.
inline std::string QuotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// A path in single quotes. DuckDB treats '*', '?' and '[' as wildcards; file names may contain
// them.
inline std::string LiteralPath(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[') {
      escaped += {'[', c, ']'};
    } else {
      escaped += c;
    }
  }
  return QuotedText(escaped);
}

}  // namespace rankscope::sql
