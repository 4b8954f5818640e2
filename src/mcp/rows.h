// Rows of an answer, limited in bytes as well.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "json/reader.h"
#include "mcp/results.h"
#include "table/table.h"

namespace rankscope::mcp {

// What a model can take in one answer: 64 kB are some 20,000 tokens.
inline constexpr std::size_t kMostAnswerBytes = 64 << 10;
inline constexpr std::size_t kMostCellBytes = 1000;

struct FoundRows {
  Table table;                  // the requested rows
  std::uint64_t row_count = 0;  // before the limit
};

// The leading rows that fit into kMostAnswerBytes of JSON, at least one. A text of more than
// kMostCellBytes is cut, with a remark; reals are rounded (rounded.h). If rows are missing,
// `left_out` says what to do.
RowsResult RowsResultOf(const FoundRows& found);

// The same from a table as JSON, {"columns":[..],"rows":[[..]]}, limited to `limit` rows; it has
// "row_count" if it is incomplete. kBadData for other JSON.
Result<RowsResult> RowsResultOf(std::string_view name, const json::Value& table,
                                std::int64_t limit);

}  // namespace rankscope::mcp
