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
ColumnSpec StepOfWindow() {
  return Int("step", "", "step of the window; null = the time outside of all steps");
}
ColumnSpec WindowLength() { return Int("duration_ns", "ns", "length of the window"); }
ColumnSpec Complete() {
  return {"complete", ColumnType::kBool, "", "false when the recording cut the window off"};
}

}  // namespace rankscope::column
