// Columns that many tables share, so that a name has the same meaning everywhere.
#pragma once

#include <string>

#include "table/table.h"

namespace rankscope::column {

ColumnSpec Rank();
ColumnSpec Capture();
ColumnSpec Device();
ColumnSpec Stream();
ColumnSpec MemoryDeviceType();  // "device_type": type of the memory's device, which may be the host
ColumnSpec MemoryDevice();      // "device": null for the host's memory
// "step"; null = outside of all steps. The variants differ in their windows (facts/windows.h): by
// the host's marks, of the device or of the rank's latest device; for counts, by the step that
// launched it.
ColumnSpec StepOfHost();
ColumnSpec StepOfDevice();
ColumnSpec StepOfRank();
ColumnSpec StepOfLaunch();
ColumnSpec DeviceWindowLength();  // "duration_ns"
ColumnSpec Complete();            // "complete": false if the recording cut the window off
ColumnSpec Int(std::string name, std::string unit, std::string doc);
ColumnSpec Real(std::string name, std::string unit, std::string doc);
ColumnSpec Text(std::string name, std::string doc);

}  // namespace rankscope::column
