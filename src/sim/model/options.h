// SimulateOptions: what is asked of a simulated job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/catalog.h"
#include "sim/model/cause.h"
#include "sim/model/job_kind.h"
#include "sim/model/layout.h"

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

}  // namespace rankscope::sim
