// Columns that many tables share, so that one name means one thing everywhere.
#pragma once

#include <string>

#include "table/table.h"

namespace rankscope::column {

ColumnSpec Rank();
ColumnSpec Capture();
ColumnSpec Device();
ColumnSpec Stream();
ColumnSpec MemoryDeviceType();  // "device_type": of memory, which the host has too
ColumnSpec MemoryDevice();      // "device": null for the host
// "step"; null = outside of all steps. Whose windows (facts/windows.h): those of the host's marks,
// those of the device or of the rank's latest device; of what is counted, the step that launched
// it.
ColumnSpec StepOfHost();
ColumnSpec StepOfDevice();
ColumnSpec StepOfRank();
ColumnSpec StepOfLaunch();
ColumnSpec DeviceWindowLength();  // "duration_ns"
ColumnSpec Complete();            // "complete": false when the recording cut the window off
ColumnSpec Int(std::string name, std::string unit, std::string doc);
ColumnSpec Real(std::string name, std::string unit, std::string doc);
ColumnSpec Text(std::string name, std::string doc);

}  // namespace rankscope::column
