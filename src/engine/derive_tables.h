// Tables that are derived from others, made as soon as their inputs are there.
#pragma once

#include <functional>
#include <vector>

#include "base/status.h"
#include "engine/wanted_tables.h"
#include "stage/analysis.h"

namespace rankscope {

// Makes the tables of `entries` that are not there and whose inputs are, or come to be, on up to
// `threads` threads. Each takes the next that is ready, first those behind which the longest chain
// of others waits, and waits for nobody but the makers of its inputs. A table that cannot be made
// has its status, and what would be made of it stays away. `going_on` is asked before each; its
// error ends all, and is returned.
Status DeriveTables(std::vector<WantedTables::Entry>& entries, const JobContext& job, int threads,
                    const std::function<Status()>& going_on);

}  // namespace rankscope
