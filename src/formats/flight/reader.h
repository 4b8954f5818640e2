// Reads dumps of PyTorch's Flight Recorder, as TORCH_NCCL_DUMP_ON_TIMEOUT and
// torch._C._distributed_c10d._dump_nccl_trace (pickle) or _dump_nccl_trace_json write them, of
// format 2.x.
//
// Meaning of the keys: torch/csrc/distributed/c10d/FlightRecorder.hpp of PyTorch. Stacks are in
// pickles alone; the JSON has none, and says 0 for times that are not known.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/flight/dump.h"

namespace rankscope::flight {

inline constexpr std::string_view kFormat = "PyTorch Flight Recorder";
// What no dump says, in words for `trace info`.
inline constexpr std::string_view kUnknown =
    "when device work ran, ops, kernels, calls that were overwritten; in JSON also stacks";

// By the first bytes of the content.
bool IsDump(std::string_view head);

// At most 2 GiB of text, all of it in memory while it is read. The rank is that at the end of the
// name (nccl_trace_rank_3, rank3.json), else the one that the calls themselves tell; -1 when
// neither does. JSON that was cut off gives the calls before that place; a pickle that was fails.
Result<FlightDump> ReadDump(const std::string& path, const InflateLimits& limits = {});
Result<FlightDump> ReadJson(ByteSource& source, const std::string& path);
Result<FlightDump> ReadPickle(ByteSource& source, const std::string& path);

}  // namespace rankscope::flight
