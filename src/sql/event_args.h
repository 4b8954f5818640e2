// The arguments that a trace keeps of an event, as the JSON object that its file had.
#pragma once

#include <string>

#include "trace/trace.h"

namespace rankscope::sql {

// Appends {"External id":7,"grid":[16,1,1],...} under the names that Kineto gives them; nothing
// when the row has none. Lists of the file's (shapes, ranks) are text. What the file stated beyond
// what a trace keeps is not among them.
void AppendEventArgs(std::string& out, const RankTrace& trace, Row row);

}  // namespace rankscope::sql
