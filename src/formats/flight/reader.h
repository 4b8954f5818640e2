// Reads dumps of PyTorch's Flight Recorder, as TORCH_NCCL_DUMP_ON_TIMEOUT and
// torch._C._distributed_c10d._dump_nccl_trace (pickle) or _dump_nccl_trace_json write them, of
// format 2.x.
//
// Meaning of the keys: torch/csrc/distributed/c10d/FlightRecorder.hpp of PyTorch. Only pickles have
// stacks; the JSON has none, and writes 0 for unknown times.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/flight/dump.h"

namespace rankscope::flight {

inline constexpr std::string_view kFormat = "PyTorch Flight Recorder";
// What dumps never contain, in words for `trace info`.
inline constexpr std::string_view kUnknown =
    "when device work ran, ops, kernels, calls that were overwritten; in JSON also stacks";

// Recognises the format by the first bytes of the content.
bool IsDump(std::string_view head);

// At most 2 GiB of text, held in memory while it is read. The rank comes from the end of the file
// name (nccl_trace_rank_3, rank3.json), otherwise from the calls themselves; -1 if neither has it.
// JSON that was cut off yields the calls before the cut; a cut-off pickle fails.
Result<FlightDump> ReadDump(const std::string& path, const InflateLimits& limits = {});
Result<FlightDump> ReadJson(ByteSource& source, const std::string& path);
Result<FlightDump> ReadPickle(ByteSource& source, const std::string& path);

}  // namespace rankscope::flight
