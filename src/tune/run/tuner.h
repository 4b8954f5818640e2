// A complete tuning run: diagnosis, search, confirmation, and on request the change of the
// service.
//
//   1. The server is diagnosed with its defaults (diagnosis.h). The load that it bears determines
//      the load of the trials; its findings determine which parameters are searched.
//   2. Up to `trials` runs, including the diagnosis, as search/optimiser.h requests them. A server
//      that does not start, or dies, is a valid result. Runs with a late generator are repeated.
//   3. The choice must bear a steady rate within the objective. If it bears none near the rate of
//      the defaults, the defaults stay.
//   4. With `applies` the service gets the choice. The guard (subject/guard.h) watches it, and the
//      tuner compares its own requests with those before the change.
//
// Besides the objective, a choice must keep one more limit: at most 1% of requests fail.
#pragma once

#include "base/status.h"
#include "tune/run/outcome.h"
#include "tune/run/spec.h"

namespace rankscope::tune {

// Errors: kBadData if the server does not run or answer with its defaults; kIo and kInvalidArgument
// from the parts. kCancelled if it is stopped before anything is known; when stopped later, the
// outcome has what is known so far. In every case the service ends up with its old settings, or
// with those of a successful canary.
Result<Outcome> Tune(const TuneSpec& spec, const TuneWatch& watch);

}  // namespace rankscope::tune
