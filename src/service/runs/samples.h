// Samples of a run, kept in the store.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "telemetry/samples.h"

namespace rankscope::service {

// Keeps them as a content of the store, named by the run. Small contents are merged.
Status StoreSamples(store::Store& store, const std::string& run, std::vector<MetricSample> samples);
// By time.
Result<std::vector<MetricSample>> ReadSamples(store::Store& store, const store::Run& run);

}  // namespace rankscope::service
