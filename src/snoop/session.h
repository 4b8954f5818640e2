// Session: one window of snoop on one process, from the plan to the findings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "snoop/findings.h"
#include "snoop/plan.h"

namespace rankscope::snoop {

struct SnoopOptions {
  PlanOptions plan;
  std::int64_t length_ns = 10'000'000'000;
  double most_of_core = 0.05;             // time inside the probes; more ends the window
  std::string helper = "/proc/self/exe";  // the privileged program (helper.h)
};

// Blocks for the window, or until SIGINT or SIGTERM, which this thread must have blocked. Drops the
// privileges of the calling thread. `said` gets a sentence when the window begins. Errors come from
// the plan and the helper.
Result<Findings> Snoop(const SnoopOptions& options,
                       const std::function<void(std::string_view)>& said);

}  // namespace rankscope::snoop
