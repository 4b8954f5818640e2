// The whole of a tuning run: diagnosis, search, confirmation, and where that was asked the change
// of the service.
//
//   1. The server with its defaults is diagnosed (diagnosis.h): what it bears decides the load of
//      the trials, its findings which parameters are searched.
//   2. At most `trials` runs, that one among them, as search/optimiser.h asks for them. A server
//      that does not start, or dies, is a result. Runs of a generator that was late are repeated.
//   3. The choice has to bear a steady rate within the objective; where it bears none near what the
//      defaults do, the defaults stay.
//   4. With `applies` the service gets the choice, watched by the guard (subject/guard.h) and by
//      requests of the tuner's own, which are compared with those before the change.
//
// Limits that a choice keeps, beside the objective: at most 1% of requests fail.
#pragma once

#include "base/status.h"
#include "tune/run/outcome.h"
#include "tune/run/spec.h"

namespace rankscope::tune {

// Errors: kBadData where the defaults themselves do not run or answer nothing, kIo and
// kInvalidArgument as the parts'. kCancelled when it was stopped before anything was known; later
// the outcome has what is known by then. Whatever is returned, the service has its old settings or
// those of a canary that went well.
Result<Outcome> Tune(const TuneSpec& spec, const TuneWatch& watch);

}  // namespace rankscope::tune
