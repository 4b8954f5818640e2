// truth.json: what really happened in a simulated job.
//
//   { "schema": "rankscope.truth/2",
//     "options": { "job", "ranks", "steps", "events_per_rank", "seed" (text),
//                  "clock_offset_max_ns", "clock_drift_max_ppb", "compress",
//                  "cuda_graphs", "run_ahead", "stacks" },
//     "size": { "layers", "micro_batches", "virtual_stages", "optimizer_launches" },
//     "layout": { "tp", "cp", "ep", "pp", "dp" },
//     "groups": [ { "name", "description", "ranks" } ],
//     "base_ns": text,       baseTimeNanoseconds of all files
//     "job_start_ns": text,  the base-time position of true time 0
//     "step_ns": mean time of a step over ranks: from a rank's first mark until host and device
//                finish its last step, divided by the steps,
//     "step_without_causes_ns": the same job (seed, size, clocks) without any planted cause,
//     "gain_pct": 100 * (1 - step_without_causes_ns / step_ns),
//     "causes": [ { "id", "severity", "ranks", "steps" (ProfilerStep numbers),
//                   "step_without_ns", "gain_pct": the same without this cause alone } ],
//     "ranks": [ { "rank", "file", "role": "generator" (post-training) or "trainer",
//                  "at": { "tp", "cp", "ep", "pp", "dp" },
//                  "clock_offset_ns", "clock_drift_ppb", "counts": { events, ops, ... },
//                  "windows": [ { "step", "begin_ns", "end_ns",
//                                 "compute_ns", "communication_ns", "copy_ns",
//                                 "exposed_communication_ns", "exposed_copy_ns", "idle_ns",
//                                 "collective_wait_ns",
//                                 "pipeline": { "micro_batches", "warm_up_ns", "steady_ns",
//                                               "cool_down_ns", "busy_ns" },   with pp > 1
//                                 "experts": [ { "layer", "micro_batch",
//                                                "tokens_received" } ]          for moe
//                               } ] } ] }
//
// Windows are the steps of the rank's device (accounting.h): step n is [C(n-1), C(n)), where C(n) =
// latest end of the kernels that the host launched before its step n ended; the first begins at its
// mark. Time after the last window is in none. All times of a window are by the rank's own clock,
// as in its file: at true time t, which counts from job_start_ns, a clock shows job_start_ns + t +
// clock_offset_ns + floor(t * clock_drift_ppb / 1e9). compute, communication and copy are unions of
// their own kind; compute_ns + exposed_communication_ns + exposed_copy_ns + idle_ns is the window's
// length. collective_wait_ns sums, over the communications that the step launched, the time from
// this rank's kernel start to the last member's, in true time.
//
// pipeline (stage_accounting.h), in true time too: busy_ns is the union of the compute kernels that
// the step launched inside forward_step and backward_step, from autograd's thread or the main
// thread. The pipeline's window is [first busy moment, last busy moment] over the stages of one
// model, which are the ranks with the same tp, cp and dp. In it, the stage idles for warm_up_ns
// before its first busy moment, for cool_down_ns after its last and for steady_ns in between. The
// four sum to the window.
//
// experts: for every layer of a micro-batch's forward, how many tokens the ranks of the expert
// group sent to this rank's experts; a token for two experts counts twice. One row per about 300
// events of the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/engine/accounting.h"
#include "sim/engine/recorder.h"
#include "sim/engine/stage_accounting.h"
#include "sim/planted_job.h"

namespace rankscope::sim {

struct RankTruth {
  std::string file;  // empty: the rank was not written
  EventCounts counts;
  std::vector<WindowAccount> windows;            // by the rank's own clock
  std::vector<std::int64_t> collective_wait_ns;  // one per window
  std::vector<StageBusy> stage_busy;             // one per window; also of ranks not written
  // One list per window, by layer and then by micro-batch.
  std::vector<std::vector<std::int64_t>> tokens_received;
  std::uint64_t text_bytes = 0;
};

// `ranks` is indexed by rank. Writes the whole file or nothing.
Status WriteTruth(const std::string& path, const PlantedJob& job,
                  const std::vector<RankTruth>& ranks);

}  // namespace rankscope::sim
