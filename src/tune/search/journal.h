// The journal of a search: a line of JSON for its space and options, then one for each trial. What
// writes it appends a line as soon as a trial is over, and a search that was killed goes on by it.
//
//   {"schema":"rankscope.tune_journal/1","trials":30,"seed":1,"parameters":[...],...}
//   {"stage":"baseline","schedule":0,"point":[256,2048],"crashed":false,"objective":3.1,"metrics":[1.2]}
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tune/search/optimiser.h"

namespace rankscope::tune {

// Both with their line break.
std::string JournalHead(const Space& space, const OptimiserOptions& options);
std::string JournalLine(const Trial& trial);

// `search`, which has no trials yet, is told those of the journal. A last line that was cut off is
// passed over. kBadData with the line's number for what is no journal, one of another space or of
// other options, or one whose trials this search would not have asked for.
Status ReadJournal(std::string_view text, Optimiser& search);

}  // namespace rankscope::tune
