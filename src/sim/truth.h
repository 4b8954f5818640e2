// truth.json: what really happened in a simulated job.
//
//   { "schema": "rankscope.truth/2",
//     "options": { "job", "ranks", "steps", "events_per_rank", "seed" (text),
//                  "clock_offset_max_ns", "clock_drift_max_ppb", "compress" },
//     "size": { "layers", "micro_batches", "optimizer_launches" },
//     "layout": { "tp", "cp", "ep", "pp", "dp" },
//     "groups": [ { "name", "description", "ranks" } ],
//     "base_ns": text,   baseTimeNanoseconds of all files
//     "job_start_ns": text,  where on it true time 0 lies
//     "step_ns": mean time of a step over ranks,
//     "step_without_causes_ns": the same job (seed, size, clocks) without any planted cause,
//     "gain_pct": 100 * (1 - step_without_causes_ns / step_ns),
//     "causes": [ { "id", "severity", "ranks", "steps" (ProfilerStep numbers),
//                   "step_without_ns", "gain_pct": the same without this cause alone } ],
//     "ranks": [ { "rank", "file", "at": { "tp", "cp", "ep", "pp", "dp" },
//                  "clock_offset_ns", "clock_drift_ppb", "counts": { events, ops, ... },
//                  "windows": [ { "step", "begin_ns", "end_ns",
//                                 "compute_ns", "communication_ns", "copy_ns",
//                                 "exposed_communication_ns", "exposed_copy_ns", "idle_ns",
//                                 "collective_wait_ns" } ] } ] }
//
// Windows are those of docs' accounting: [ProfilerStep n, ProfilerStep n+1), the last to the later
// of its mark and its last device work. All times of a window are by the rank's own clock, as in
// its file: at true time t, which counts from job_start_ns, a clock shows job_start_ns + t +
// clock_offset_ns + floor(t * clock_drift_ppb / 1e9). compute, communication and copy are unions of
// their own kind; compute_ns + exposed_communication_ns + exposed_copy_ns + idle_ns is the window's
// length. collective_wait_ns sums, over the communications that the step launched, the time from
// this rank's kernel start to the last member's, in true time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/accounting.h"
#include "sim/planted_job.h"
#include "sim/recorder.h"

namespace rankscope::sim {

struct RankTruth {
  std::string file;  // empty: the rank was not written
  EventCounts counts;
  std::vector<WindowAccount> windows;            // by the rank's own clock
  std::vector<std::int64_t> collective_wait_ns;  // one per window
  std::uint64_t text_bytes = 0;
};

// `ranks` by rank. Writes whole or not at all.
Status WriteTruth(const std::string& path, const PlantedJob& job,
                  const std::vector<RankTruth>& ranks);

}  // namespace rankscope::sim
