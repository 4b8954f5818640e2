// The rows of a statement as a table of answers.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "table/schema.h"

namespace rankscope::fleet {

// The statement names the schema's columns, in their order and types: the units and sentences are
// the schema's. Anything else is kInternal, since statements and schemas are of one program.
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
