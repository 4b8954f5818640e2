// The words of the reports: what the parts of device time and the metrics are called, and how a
// value with a unit is written. One place, so that text and HTML say the same.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

struct PartWords {
  std::string_view id;        // as in the tables
  std::string_view label;     // "idle: waiting for data"
  std::string_view sentence;  // "... of device time is <sentence>"
};

// In the order of precedence in which time is divided.
inline constexpr std::array<PartWords, 10> kParts = {{
    {"compute", "computing", "computing"},
    {"exposed_communication", "communication, not hidden", "communication that nothing hides"},
    {"exposed_copy", "copies, not hidden", "copying that nothing hides"},
    {"idle_host", "idle: host not ready", "idle: the host had not issued the next work"},
    {"idle_data", "idle: waiting for data", "idle: the host was waiting for input data"},
    {"idle_sync", "idle: host in a sync call", "idle: the host was waiting for the device"},
    {"idle_launch", "idle: launching", "idle: the next work was just being launched"},
    {"idle_gap", "idle: between kernels", "idle: gaps between queued kernels"},
    {"idle_stream", "idle: other stream", "idle: queued work waited for another stream"},
    {"unknown", "idle: unknown", "idle, and the trace does not show why"},
}};

// What the critical path is divided into.
inline constexpr std::array<PartWords, 8> kPathParts = {{
    {"host", "host", "work of the host"},
    {"data_loading", "data loading", "data loading"},
    {"launch", "launches", "launches on their way"},
    {"kernel_gap", "between kernels", "gaps between kernels"},
    {"compute", "computing", "computing"},
    {"communication", "communication", "communication"},
    {"copy", "copies", "copying"},
    {"unexplained", "unexplained", "time that the trace does not explain"},
}};

// Null for a part that this version does not know.
const PartWords* FindPart(std::string_view id);
const PartWords* FindPathPart(std::string_view id);
bool IsIdle(std::string_view part);

// "communication_hidden_time" in "ns/step" -> "hidden communication time per step".
std::string MetricLabel(std::string_view metric, std::string_view unit);

// A value for people by its unit: "12.3 ms", "87.5%", "1.5 GB"; "?" when unknown. "ns/step" is
// written like "ns".
std::string HumanValue(std::optional<double> value, std::string_view unit);

// "1 rank", "8 ranks".
std::string Plural(std::size_t count, std::string_view one);

}  // namespace rankscope
