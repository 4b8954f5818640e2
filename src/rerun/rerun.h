// `rankscope rerun`: records a command, applies a change for one of its findings, and runs both
// sides again (docs/rerun.md).
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "rerun/experiment.h"
#include "rerun/outcome.h"

namespace rankscope::rerun {

struct RerunSpec {
  Plan plan;
  std::string finding;  // "": none, only measures the change
  // If the user gives no tree and no environment: the patch of `rankscope fix`.
  Change change;
};

// kNotFound if the command's recording does not have that finding; kInvalidArgument if nothing
// would change. Errors of the command's runs include the end of its output.
Result<Outcome> Rerun(const RerunSpec& spec, const Watch& watch, app::Listener& listener);

}  // namespace rankscope::rerun
