// A cache of answers over the rows of all runs, valid until the rows change: pages are viewed more
// often than runs arrive.
#pragma once

#include <functional>
#include <string>

#include "app/fleet/fleet_database.h"
#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// The result of make(), or its cached result for `question`, which must contain everything that the
// answer depends on except the rows. The cache is DATA/fleet/answer.HASH.json, with at most the 64
// newest. Updates the rows first. In a read-only folder nothing is cached.
Result<std::string> KeptAnswer(const FleetSpec& spec, const std::string& question,
                               Listener& listener,
                               const std::function<Result<std::string>()>& make);

}  // namespace rankscope::app
