// `rankscope rerun`: a command is recorded, a finding of it changed, and both sides are run again
// (docs/rerun.md).
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "rerun/experiment.h"
#include "rerun/outcome.h"

namespace rankscope::rerun {

struct RerunSpec {
  Plan plan;
  std::string finding;  // "": none, what is changed is measured alone
  // Without a tree and an environment of the user's the patch of `rankscope fix`.
  Change change;
};

// kNotFound where the command's recording has no such finding; kInvalidArgument where nothing would
// be changed. Errors of the command's runs tell the end of what it printed.
Result<Outcome> Rerun(const RerunSpec& spec, const Watch& watch, app::Listener& listener);

}  // namespace rankscope::rerun
