// Parts of a training step that several kinds of jobs share.
#pragma once

#include <cstdint>

#include "sim/library.h"
#include "sim/program.h"
#include "sim/segment_builder.h"

namespace rankscope::sim {

// Takes a batch from the data loader. Targets are copied on the compute stream; the inputs, which
// are the next step's, by the copy stream, with event 0 recorded behind them: the compute stream
// first waits for those of the step before.
const Segment* LoadBatchPart(Library* library);
inline constexpr std::uint32_t kPrefetchEvent = 0;

// `launches` multi-tensor kernels of a fused AdamW over `parameters`.
void AddOptimizer(std::int64_t parameters, int launches, SegmentBuilder* builder);

}  // namespace rankscope::sim
