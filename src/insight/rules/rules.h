// The rules, each in a file of its own.
#pragma once

#include "insight/rule.h"

namespace rankscope {

const Rule& SlowGpuRule();
// The ranks that slow-gpu names, ascending.
std::vector<std::uint32_t> SlowDevices(const RuleInput& input);
const Rule& SlowHostRule();
const Rule& InputRule();      // data-starvation, data-straggler
const Rule& HostStallRule();  // gc-pause, checkpoint-stall, recompilation
const Rule& HostSyncRule();
const Rule& AllocatorRule();  // allocator-thrash, memory-pressure
const Rule& PageableCopyRule();

const Rule& SlowTransfersRule();  // slow-link, network-jitter
const Rule& ExposedCommunicationRule();
const Rule& CollectiveCountRule();  // small-collectives, redundant-collectives
const Rule& WorkImbalanceRule();    // sharding-, expert- and sequence-imbalance
const Rule& PipelineRule();         // pipeline-bubble, pipeline-stage-imbalance
const Rule& MatrixRule();           // no-tensor-cores, low-roofline
const Rule& ShortKernelsRule();     // launch-bound, unfused-optimizer, redundant-copies
const Rule& UnfusedRule();          // unfused-elementwise, unfused-attention
const Rule& MemoryRule();           // memory-leak

}  // namespace rankscope
