// Divides a run into shards: the files that one worker of a cluster reads. Small runs are not
// divided.
#pragma once

#include <cstdint>
#include <vector>

#include "service/queue/work_rows.h"
#include "store/run.h"

namespace rankscope::service {

// In the order of its files, so that neighbours stay together. A shard has about `bytes` of text,
// or a single longer file; there are at most kMostShards (shard_plan/plan.h). One shard or none if
// nothing is to be divided: files that were set aside do not count, and recordings of a serving
// program are read as a whole.
std::vector<WorkShard> DivideRun(const store::Run& run, std::uint64_t bytes);

// One for each of the shard's files that is not set aside.
std::vector<WorkShard> DivideByFile(const store::Run& run, const WorkShard& shard);

// The run with only these files, without those set aside and without the job's own numbers: the
// input of one shard.
store::Run PartOf(const store::Run& run, const WorkShard& shard);

}  // namespace rankscope::service
