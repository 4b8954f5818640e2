// Reads execution traces of PyTorch (ExecutionTraceObserver): the ops of a process in call order,
// with shapes, types, strides and values of their inputs and the data of collectives, but without
// times. formats/et/join.h joins them with the Kineto trace of the same run.
//
// Schemas 1.0.x store a node's attributes as members (rf_id, input_shapes, ...). From 1.0.3 on they
// are a list "attrs", and "inputs" is an object of values, shapes, types and, since 1.1.1, strides.
// Meaning: torch/csrc/profiler/standalone/execution_trace_observer.cpp of PyTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "trace/interner.h"
#include "trace/quality.h"

namespace rankscope::et {

inline constexpr std::string_view kFormat = "PyTorch execution trace";
// What such files never contain, in words for `trace info`.
inline constexpr std::string_view kUnknown =
    "times, kernels, steps, the rank; they come from the Kineto trace of the same run, to which it "
    "adds shapes, types and collectives";

// Texts are ids of the trace's strings, lists as Kineto writes them.
struct Node {
  std::int64_t id = -1;
  std::int64_t record_id = 0;  // rf_id; 0: not a call
  std::int64_t thread = -1;    // numbered by the observer
  StringId name = kEmptyString;
  StringId schema = kEmptyString;
  StringId dims = kEmptyString;     // "[[1024],[512,1024],[]]"
  StringId types = kEmptyString;    // ["float","float","Scalar"]
  StringId strides = kEmptyString;  // unknown before schema 1.1.1
  StringId values = kEmptyString;   // ["","","1"]
  std::uint32_t collective = UINT32_MAX;
};

struct Collective {
  StringId name = kEmptyString;
  StringId dtype = kEmptyString;
  StringId group_name = kEmptyString;
  StringId group_desc = kEmptyString;
  StringId in_split = kEmptyString;
  StringId out_split = kEmptyString;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = -1;
  std::int64_t first_rank = -1;  // of evenly spaced ranks
  std::int64_t rank_stride = -1;
};

struct ExecutionTrace {
  std::string path;
  std::string schema;
  std::int64_t pid = -1;
  std::vector<Node> nodes;  // by record_id
  std::vector<Collective> collectives;
  Interner strings;
  QualityLog quality;
};

// Recognises the format by the first bytes of the content.
bool IsExecutionTrace(std::string_view head);
// The process id in its first bytes.
std::optional<std::int64_t> PidOf(std::string_view head);

// At most 2 GiB of text, held in memory while it is read. A file that was cut off yields the nodes
// before the cut.
Result<ExecutionTrace> ReadExecutionTrace(const std::string& path,
                                          const InflateLimits& limits = {});
Result<ExecutionTrace> ReadExecutionTrace(ByteSource& source, const std::string& path);

}  // namespace rankscope::et
