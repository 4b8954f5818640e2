// Commands of `rankscope probe` that read devices.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "contract/command.h"
#include "probe/run/host.h"
#include "probe/source/reading.h"

namespace rankscope::cli {

void AddProbeEval(CommandSpec& probe);
void AddProbeRecord(CommandSpec& probe);
void AddProbeReplay(CommandSpec& probe);

void AddProbeWorker(CommandSpec& probe);

// Reads this machine, or files below `root`; `rankscope probe worker` loads libraries.
Result<std::unique_ptr<probe::SourceReader>> OpenProbeReader(const std::string& root);

// Reads on until the changes over time that the metric has are known, or until Ctrl-C.
void ReadChanges(const probe::Spec& spec, probe::Host& host, const std::string& metric);

// --root DIR.
inline constexpr const char* kRootAbout = "read files below this folder in place of /";

}  // namespace rankscope::cli
