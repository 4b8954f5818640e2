// What the lines of a device's plane hold: work, the steps that the device states, or the same time
// once more, told otherwise (by module, name scope, framework op, source line).
//
// Source: the names of lines in XLA's profiler (tsl/profiler/utils/xplane_schema).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::xplane {

enum class LineRole : std::uint8_t { kWork, kSteps, kSummary };

bool IsStream(std::string_view line);
// On a device with streams (a GPU) these are its work; on one without (a TPU) the lines of XLA ops.
// "Async XLA Ops" has from start to done what these have as the two ops, and is a summary: what of
// it was not hidden is the time of these ops.
LineRole RoleOfLine(std::string_view line, bool has_streams);

// "/device:GPU:3" is device 3, and "/device:TPU:1 SparseCore 2" is a part of device 1.
struct DeviceName {
  std::int64_t number = -1;
  std::int64_t part = 0;  // of a SparseCore its number and 1; 0 of the device itself
};
DeviceName ParseDeviceName(std::string_view plane);

// The number in the name of an event of the line "Steps": "12", "train 12".
std::optional<std::int64_t> StepNumberOf(std::string_view name);

}  // namespace rankscope::xplane
