// Analyses a run again, as `rankscope store requeue` asks.
#pragma once

#include <string_view>

#include "base/status.h"
#include "store/store.h"

namespace rankscope::store {

// Puts a run that has failed, or is ready, into the queue, with all of its files: those that were
// set aside are tried again. In a cluster any worker may take it at once; in a folder the next
// server does. The attempts count from zero. kNotFound if there is no such run; kInvalidArgument if
// it is being uploaded or analysed, or has no files.
Result<Run> Requeue(Store& store, std::string_view id);

}  // namespace rankscope::store
