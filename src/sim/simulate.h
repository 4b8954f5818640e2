// A simulated training job with known ground truth.
//
// Simulate writes what PyTorch's profiler would have recorded of a transformer trained on `ranks`
// GPUs: one Kineto trace per rank, and truth.json with what really happened, to test analyses
// against. Jobs (jobs/) define the work of the ranks; an event-driven engine (engine/) computes its
// timing: host threads run ahead of their device, kernels wait for their stream and for events, a
// collective ends on all ranks together, host syncs wait for the device.
//
// The same options give the same trace text on every machine (see kineto/writer_sink.h for .gz).
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "sim/model/options.h"

namespace rankscope::sim {

struct SimulateProgress {
  int ranks_written = 0;
  int ranks = 0;
  std::uint64_t events = 0;      // written so far
  std::uint64_t text_bytes = 0;  // written so far, before compression
};

// Called after each rank's file, never by two threads at a time.
using SimulateProgressFn = std::function<void(const SimulateProgress&)>;

// Writes rank<k>.pt.trace.json[.gz] and rank<k>.collectives.csv (engine/collective_log.h) for every
// rank, and truth.json (truth.h) last: a folder with a truth.json is complete. Refuses a folder
// with trace files of ranks that this job does not have. kInvalidArgument when an option makes no
// sense.
//
// First all ranks run together without recording, once as they are and once without each planted
// cause. Then every rank runs alone and is recorded.
//
// Memory: 2 MiB per thread, 12 KiB per rank, 150 bytes per rank and step, 24 bytes per collective;
// independent of the number of events. Time: ~0.2 us per event, twice that with gzip, and 20 ns per
// event for every job without a cause.
Status Simulate(const SimulateOptions& options, const SimulateProgressFn& progress = {});

}  // namespace rankscope::sim
