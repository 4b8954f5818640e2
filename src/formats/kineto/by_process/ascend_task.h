// Names of Ascend's tasks and collectives.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::kineto {

enum class AscendTask : std::uint8_t {
  kKernel,
  kCopy,
  kSet,
  kWait,     // of a stream: events, notifications
  kNoWork,   // parts of collectives, and tasks of the profiler and the runtime
  kUnknown,  // of an unknown type
};

// Classifies by the task's name and "Task Type"; a task without a type is compute.
AscendTask TaskOf(std::string_view name, std::string_view type);

// "hcom_allReduce__586_0_1" belongs to group 586.
struct AscendCollective {
  std::string_view op;     // "allReduce"
  std::string_view group;  // "586"; empty when the name does not say
};
bool IsAscendCollective(std::string_view name);
AscendCollective AscendCollectiveOf(std::string_view name);

// PyTorch's name for a type: "FP32" is "Float"; the text itself if it is unknown.
std::string_view DtypeOfAscend(std::string_view dtype);

}  // namespace rankscope::kineto
