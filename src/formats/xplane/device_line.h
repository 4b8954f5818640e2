// The contents of lines on a device's plane: work, the steps that the device states, or a different
// view of the same time (by module, name scope, framework op, source line).
//
// Source: the names of lines in XLA's profiler (tsl/profiler/utils/xplane_schema).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::xplane {

enum class LineRole : std::uint8_t { kWork, kSteps, kSummary };

bool IsStream(std::string_view line);
// A device with streams (a GPU) has its work on the streams; a device without (a TPU) on the lines
// of XLA ops. "Async XLA Ops" shows the span from start to done, which XLA ops show as two ops, so
// it is a summary: its exposed part is the time of these two ops.
LineRole RoleOfLine(std::string_view line, bool has_streams);

// "/device:GPU:3" is device 3; "/device:TPU:1 SparseCore 2" is a part of device 1.
struct DeviceName {
  std::int64_t number = -1;
  std::int64_t part = 0;  // SparseCore number plus 1; 0: the device itself
};
DeviceName ParseDeviceName(std::string_view plane);

// The number in the name of an event of the line "Steps": "12", "train 12".
std::optional<std::int64_t> StepNumberOf(std::string_view name);

}  // namespace rankscope::xplane
