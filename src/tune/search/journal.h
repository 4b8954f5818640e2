// The journal of a search: one line of JSON for its space and options, then one per trial. The
// writer appends a line as soon as a trial ends, so that a search that was killed can continue from
// it.
//
//   {"schema":"rankscope.tune_journal/1","trials":30,"seed":1,"parameters":[...],...}
//   {"stage":"baseline","schedule":0,"point":[256,2048],"crashed":false,"objective":3.1,"metrics":[1.2]}
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tune/search/optimiser.h"

namespace rankscope::tune {

// Both end with a line break.
std::string JournalHead(const Space& space, const OptimiserOptions& options);
std::string JournalLine(const Trial& trial);

// Feeds the journal's trials to `search`, which has no trials yet. Ignores a last line that was cut
// off. kBadData with the line's number for an invalid journal, for one of another space or with
// other options, and for trials that this search would not have asked for.
Status ReadJournal(std::string_view text, Optimiser& search);

}  // namespace rankscope::tune
