// A run in shards: which of its files one worker of a cluster reads. Small runs are not divided.
#pragma once

#include <cstdint>
#include <vector>

#include "service/work_rows.h"
#include "store/run.h"

namespace rankscope::service {

// In the order of its files, so that neighbours stay together: those of about `bytes` of text, or a
// single file that is longer, and kMostShards (shard_plan/plan.h) at most. One or none where
// nothing is to be divided: files that were set aside count nothing, and what a serving program
// recorded is read as a whole.
std::vector<WorkShard> DivideRun(const store::Run& run, std::uint64_t bytes);

// One for each of the shard's files that is not set aside.
std::vector<WorkShard> DivideByFile(const store::Run& run, const WorkShard& shard);

// The run with these files alone, those left out that were set aside, and without the numbers that
// it told: what one shard reads.
store::Run PartOf(const store::Run& run, const WorkShard& shard);

}  // namespace rankscope::service
