// The job as it would be without what recording costs its hosts.
#pragma once

#include <optional>

#include "insight/base/rule_input.h"
#include "schemas/captures.h"

namespace rankscope {

// Of 47 programs on hosts of an H200 and an H100 recording took more than this many times what is
// estimated in two (1.38 and 1.45); the least was 0.2 times, the middle one 0.94.
inline constexpr double kMostOfEstimate = 1.3;

// The host's part of each step is shorter by `times` what recording it may take, and by no more
// than it can (recorded_work), on ranks where that is a fifth of the steps or more. Nullopt where
// it is on none. It is spread evenly over what the host does: an estimate, not a measurement.
std::optional<Scenario> WithoutProfiler(const RuleInput& input, ViewOf<RecordedWork> work,
                                        double times);

// Whether devices of such a rank idle as long for the host: then recording makes steps longer (the
// verdict profiler-overhead). Else it only hides what devices could gain.
bool ProfilerHoldsUpDevices(ViewOf<RecordedWork> work);

}  // namespace rankscope
