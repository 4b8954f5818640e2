// Rows as an answer has them: bounded in bytes, too.
#pragma once

#include "mcp/results.h"
#include "mcp/source.h"

namespace rankscope::mcp {

// About what a model takes in one answer: 64 kB are some 20,000 tokens.
inline constexpr std::size_t kMostAnswerBytes = 64 << 10;
inline constexpr std::size_t kMostCellBytes = 1000;

// As many of the rows, from the first on, as go into kMostAnswerBytes of JSON, at least one. A text
// of more than kMostCellBytes is cut and says so; reals are rounded (rounded.h). `left_out` says
// what to do where rows are missing.
RowsResult RowsResultOf(const FoundRows& found);

}  // namespace rankscope::mcp
