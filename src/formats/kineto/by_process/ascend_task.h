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
  kNoWork,   // parts of collectives, and what the profiler and the runtime put on streams
  kUnknown,  // of a type that is not known
};

// By the name of a task and its "Task Type"; a task without a type computes.
AscendTask TaskOf(std::string_view name, std::string_view type);

// "hcom_allReduce__586_0_1": of the group 586.
struct AscendCollective {
  std::string_view op;     // "allReduce"
  std::string_view group;  // "586"; empty when the name does not say
};
bool IsAscendCollective(std::string_view name);
AscendCollective AscendCollectiveOf(std::string_view name);

// "FP32" as PyTorch names it: "Float"; the text itself when it is not known.
std::string_view DtypeOfAscend(std::string_view dtype);

}  // namespace rankscope::kineto
