// The arguments that a trace keeps of an event, as the JSON object of its file.
#pragma once

#include <string>

#include "trace/trace.h"

namespace rankscope::sql {

// Appends {"External id":7,"grid":[16,1,1],...} with Kineto's names; nothing if the row has none.
// Lists from the file (shapes, ranks) are text. Arguments of the file that a trace does not keep
// are missing.
void AppendEventArgs(std::string& out, const RankTrace& trace, Row row);

}  // namespace rankscope::sql
