// Parts of a training step that several kinds of jobs share.
#pragma once

#include <cstdint>

#include "sim/jobs/job.h"
#include "sim/model/cause.h"
#include "sim/model/communications.h"
#include "sim/model/library.h"
#include "sim/model/program.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

// Takes a batch from the data loader. Targets are copied on the compute stream. The inputs are
// those of the next step: the copy stream copies them and then records event 0. First, the compute
// stream waits for the inputs that the step before copied.
const Segment* LoadBatchPart(const ActiveCauses& causes, Library* library);
inline constexpr std::uint32_t kPrefetchEvent = 0;

// The parameters of the layers and of the rest that a rank updates.
struct Updated {
  int layers = 0;
  std::int64_t layer_parameters = 0;
  std::int64_t other_parameters = 0;
};

// `launches` multi-tensor kernels of a fused AdamW.
void AddOptimizer(const Updated& updated, int launches, const ActiveCauses& causes,
                  SegmentBuilder* builder);

// The host reads a loss or norm and so waits for its device; nothing if it may run ahead.
void AddRead(const StepRequest& request, SegmentBuilder* builder);
// Before a forward: a recompilation.
const Segment* CompilePart(const StepRequest& request, Library* library);
// After a step: the leak and the checkpoint that causes ask for.
void AddLeakAndCheckpoint(const StepRequest& request, SegmentBuilder* builder);
// Before a forward: broadcasts of the same buffers; the compute stream waits for them. Uses the
// event slots `events` and `events` + 1.
void AddBroadcasts(const ActiveCauses& causes, const Where& where, std::uint32_t events,
                   Library* library, SegmentBuilder* builder);

}  // namespace rankscope::sim
