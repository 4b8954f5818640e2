// truth.json: what really happened in a simulated job.
//
//   { "schema": "rankscope.truth/1",
//     "options": { "ranks", "steps", "events_per_rank", "seed" (text), "clock_offset_max_ns",
//                  "slow_rank" (null = none), "slow_factor", "compress" },
//     "size": { "layers", "micro_batches", "optimizer_launches", "collectives_per_step" },
//     "base_ns": text,   baseTimeNanoseconds of all files
//     "ranks": [ { "rank", "file", "clock_offset_ns", "counts": { events, ops, ... },
//                  "windows": [ { "step", "begin_ns", "end_ns",
//                                 "compute_ns", "communication_ns", "copy_ns",
//                                 "exposed_communication_ns", "exposed_copy_ns", "idle_ns",
//                                 "collective_wait_ns" } ] } ] }
//
// Windows are those of docs' accounting: [ProfilerStep n, ProfilerStep n+1), the last to the later
// of its mark and its last device work. begin_ns and end_ns are timestamps of the rank's own file,
// so they hold its clock offset; true time is begin_ns - clock_offset_ns. compute, communication
// and copy are unions of their own kind; compute_ns + exposed_communication_ns + exposed_copy_ns +
// idle_ns is the window's length. collective_wait_ns sums, over the step's all-reduces, the time
// from this rank's kernel start to the last rank's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/accounting.h"
#include "sim/job_plan.h"
#include "sim/recorder.h"

namespace rankscope::sim {

struct RankTruth {
  std::string file;
  EventCounts counts;
  std::vector<WindowAccount> windows;            // in true time
  std::vector<std::int64_t> collective_wait_ns;  // one per window
  std::uint64_t text_bytes = 0;
};

// `ranks` by rank. Writes whole or not at all.
Status WriteTruth(const std::string& path, const JobPlan& plan,
                  const std::vector<RankTruth>& ranks);

}  // namespace rankscope::sim
