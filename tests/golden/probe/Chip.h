// Made by rankscope from chip.probe, version 1 of the language: change that file, not this one.
#pragma once

#include <memory>

#include "probe/run/monitor.h"

namespace rankscope::probes {

// Chip: a device
//
//   device_utilization (ratio) share of the time in which it computed
//   vendor_state (none) 
//   health (none) ok, degraded or failed
std::unique_ptr<const probe::Program> MakeChipProgram();

// Read by `reader`, which outlives it. For several threads: what is due is read once.
std::unique_ptr<probe::Monitor> OpenChip(probe::SourceReader& reader);

}  // namespace rankscope::probes
