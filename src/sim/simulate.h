// A simulated data-parallel training job with known truth.
//
// Simulate writes what PyTorch's profiler would have recorded of a transformer trained on `ranks`
// GPUs: one Kineto trace per rank, and truth.json with what really happened, so that analyses can
// be tested against it. Jobs (jobs/) say what ranks do, an event-driven engine (engine/) what time
// that takes: host threads run ahead of their device, kernels wait for their stream and for events,
// a collective ends on all ranks together, host syncs wait for the device.
//
// The same options give the same trace text on every machine (see kineto/writer_sink.h for .gz).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/catalog.h"
#include "sim/cause.h"
#include "sim/job_kind.h"
#include "sim/layout.h"

namespace rankscope::sim {

// What traces say about process groups.
enum class GroupNames : std::uint8_t {
  kDescribed,
  kUndefined,  // every description is "undefined", as without names given by the program
  kNone,       // nothing but the sizes of what is communicated, as in traces of 2023 and before
};

struct SimulateOptions {
  std::string out_folder;  // created when missing
  int ranks = 8;
  int steps = 5;
  // Elements of traceEvents per rank. Layers, micro-batches and optimizer launches are chosen to
  // meet it within 10 %.
  std::int64_t events_per_rank = 100'000;
  std::uint64_t seed = 1;
  JobKind job = JobKind::kDdp;
  std::optional<ModelShape> model;  // that of the kind of job unless given
  Degrees degrees;                  // those that fit the ranks unless given (job_defaults.h)
  int micro_batches = 0;  // forward and backward passes per step; 0 = as many as suit the job
  // Chunks of layers per stage of a pipeline, which are run in turns (interleaved 1F1B); of 3d jobs
  // without cp. Micro-batches are a multiple of the stages then.
  int virtual_stages = 1;
  // Sends between stages are launched as batch_isend_irecv does: their kernels say nothing of
  // process group, size and peer. Of 3d jobs.
  bool coalesced_sends = false;
  // Each rank's clock is off by a constant, uniform within +- this, and gains or loses, uniform
  // within +- that many ns per second.
  std::int64_t clock_offset_max_ns = 0;
  std::int64_t clock_drift_max_ppb = 0;
  std::vector<PlantedCause> causes;
  GroupNames group_names = GroupNames::kDescribed;
  std::vector<int> missing_ranks;  // ascending: simulated, but not written
  // Layers are captured in CUDA graphs and replayed; of ddp, single and post-training jobs.
  bool cuda_graphs = false;
  // Nothing is read back at the end of a step: hosts run ahead as far as the launch queue lets
  // them. Not of post-training jobs.
  bool run_ahead = false;
  bool stacks = false;  // with Python frames
  // With what an agent would have told of hosts and devices (telemetry_writer.h); always where a
  // cause is planted that it shows.
  bool telemetry = false;
  bool compress = true;  // .json.gz instead of .json
  int threads = 0;       // ranks written at a time; 0 = one per processor core
};

struct SimulateProgress {
  int ranks_written = 0;
  int ranks = 0;
  std::uint64_t events = 0;      // written so far
  std::uint64_t text_bytes = 0;  // written so far, before compression
};

// Called after each rank's file, by one thread at a time.
using SimulateProgressFn = std::function<void(const SimulateProgress&)>;

// Writes rank<k>.pt.trace.json[.gz] and rank<k>.collectives.csv (collective_log.h) for every rank
// and, last of all, truth.json (truth.h), so that a folder with a truth.json is whole. Refuses a
// folder that holds trace files of ranks which this job does not have. kInvalidArgument when an
// option makes no sense.
//
// All ranks are first run together without recording, once as they are and once without each
// planted cause; then every rank is run alone and recorded.
//
// Memory: 2 MiB per thread, 12 KiB per rank, 150 bytes per rank and step, 24 bytes per collective;
// independent of the number of events. Time: ~0.2 us per event, twice that with gzip, and 20 ns per
// event for every job without a cause.
Status Simulate(const SimulateOptions& options, const SimulateProgressFn& progress = {});

}  // namespace rankscope::sim
