// Converts the rows of a statement to a table of answers.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "table/schema.h"

namespace rankscope::fleet {

// The statement must return the schema's columns, in their order and types; units and sentences
// come from the schema. Otherwise kInternal, since statements and schemas are part of the same
// program.
template <typename S>
Result<TableOf<S>> AnswerOf(const Table& rows) {
  if (!SchemaOf<S>().Fits(rows)) {
    return Error(StatusCode::kInternal, "the statement of {} gives other columns",
                 std::string(S::kName));
  }
  auto table = SchemaOf<S>().NewTable(std::string(S::kName));
  table.Append(rows);
  return table;
}

}  // namespace rankscope::fleet
