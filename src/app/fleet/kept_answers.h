// Answers over the rows of all runs, kept until these change: a page is looked at more often than
// runs come.
#pragma once

#include <functional>
#include <string>

#include "app/fleet/fleet_database.h"
#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// What make() says, or what it said the last time that somebody asked for `question`, which has all
// that the answer depends on beside the rows: DATA/fleet/answer.HASH.json, of which there are 64 at
// most, the newest. Brings the rows up to date first; a folder in which nothing can be written
// keeps nothing.
Result<std::string> KeptAnswer(const FleetSpec& spec, const std::string& question,
                               Listener& listener,
                               const std::function<Result<std::string>()>& make);

}  // namespace rankscope::app
