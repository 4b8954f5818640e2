#include "schemas/columns.h"

#include <utility>

namespace rankscope::column {

ColumnSpec Int(std::string name, std::string unit, std::string doc) {
  return {std::move(name), ColumnType::kInt64, std::move(unit), std::move(doc)};
}
ColumnSpec Real(std::string name, std::string unit, std::string doc) {
  return {std::move(name), ColumnType::kDouble, std::move(unit), std::move(doc)};
}
ColumnSpec Text(std::string name, std::string doc) {
  return {std::move(name), ColumnType::kString, "", std::move(doc)};
}

ColumnSpec Rank() { return Int("rank", "", "global rank"); }
ColumnSpec Capture() { return Int("capture", "", "which recording of the rank, in time order"); }
ColumnSpec Device() { return Int("device", "", "device id as the trace states it"); }
ColumnSpec Stream() { return Int("stream", "", "stream id as the trace states it"); }
ColumnSpec MemoryDeviceType() {
  return Text("device_type", "whose memory: cpu, cuda, hip, ..., as the trace states it");
}
ColumnSpec MemoryDevice() {
  return Int("device", "", "device id as the trace states it; null for the host");
}
ColumnSpec StepOfHost() {
  return Int("step", "", "step by the host's marks; null = the time outside of all steps");
}
ColumnSpec StepOfDevice() {
  return Int("step", "",
             "step of the device's window; null = the time outside of all; what is counted belongs "
             "to the step that launched it");
}
ColumnSpec StepOfRank() {
  return Int("step", "", "step of the rank's window (step_times); null = the time outside of all");
}
ColumnSpec StepOfLaunch() {
  return Int("step", "", "step in which the host launched it; null = outside of all steps");
}
ColumnSpec DeviceWindowLength() {
  return Int("duration_ns", "ns",
             "length of the device's window; null when it did nothing that took time of its own");
}
ColumnSpec Complete() {
  return {"complete", ColumnType::kBool, "", "false when the recording cut the window off"};
}

}  // namespace rankscope::column
