// Rows as an answer has them: bounded in bytes, too.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "json/reader.h"
#include "mcp/results.h"
#include "table/table.h"

namespace rankscope::mcp {

// About what a model takes in one answer: 64 kB are some 20,000 tokens.
inline constexpr std::size_t kMostAnswerBytes = 64 << 10;
inline constexpr std::size_t kMostCellBytes = 1000;

struct FoundRows {
  Table table;                  // those that were asked for
  std::uint64_t row_count = 0;  // without the limit
};

// As many of the rows, from the first on, as go into kMostAnswerBytes of JSON, at least one. A text
// of more than kMostCellBytes is cut and says so; reals are rounded (rounded.h). `left_out` says
// what to do where rows are missing.
RowsResult RowsResultOf(const FoundRows& found);

// The same of a table as JSON, {"columns":[..],"rows":[[..]]}, of which `limit` rows are wanted;
// "row_count" where it has not all. kBadData for what is none.
Result<RowsResult> RowsResultOf(std::string_view name, const json::Value& table,
                                std::int64_t limit);

}  // namespace rankscope::mcp
