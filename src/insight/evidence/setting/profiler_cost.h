// The job without the cost of recording on its hosts.
#pragma once

#include <optional>

#include "insight/base/rule_input.h"
#include "schemas/captures.h"

namespace rankscope {

// Of 47 programs on hosts of an H200 and an H100 recording took more than this many times what is
// estimated in two (1.38 and 1.45); the least was 0.2 times, the middle one 0.94.
inline constexpr double kMostOfEstimate = 1.3;

// Shortens the host's part of each step by `times` the estimated cost of recording, at most by its
// maximum (recorded_work), on ranks where that is at least a fifth of the steps. nullopt if there
// are none. The cost is spread evenly over the host's work: an estimate, not a measurement.
std::optional<Scenario> WithoutProfiler(const RuleInput& input, ViewOf<RecordedWork> work,
                                        double times);

// Whether devices of such a rank are idle that long because of the host: then recording makes steps
// longer (the verdict profiler-overhead). Otherwise it only hides gains of devices.
bool ProfilerHoldsUpDevices(ViewOf<RecordedWork> work);

}  // namespace rankscope
