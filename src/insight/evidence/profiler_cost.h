// The job as it would be without what recording costs its hosts.
#pragma once

#include <optional>

#include "insight/base/rule_input.h"
#include "schemas/captures.h"

namespace rankscope {

// The host's part of each step is shorter by what recording it may take (recorded_work), on the
// ranks of which the verdict profiler-overhead speaks: where that is a fifth of the steps or more
// and devices idle as long for the host. Nullopt where it is on none. It is spread evenly over what
// the host does: an estimate, not a measurement.
std::optional<Scenario> WithoutProfiler(const RuleInput& input, ViewOf<RecordedWork> work);

}  // namespace rankscope
