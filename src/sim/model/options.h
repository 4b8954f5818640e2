// SimulateOptions: the parameters of a simulated job.
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
  kUndefined,  // every description is "undefined", as when the program names no groups
  kNone,       // only the sizes of communications, as in traces of 2023 and before
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
  std::optional<ModelShape> model;  // default: the model of the kind of job
  Degrees degrees;                  // default: degrees that fit the ranks (job_defaults.h)
  int micro_batches = 0;  // forward and backward passes per step; 0 = the default of the job
  // Chunks of layers per pipeline stage, run in turns (interleaved 1F1B). Only for 3d jobs without
  // cp. The number of micro-batches is then a multiple of the stages.
  int virtual_stages = 1;
  // Sends between stages are launched as by batch_isend_irecv: their kernels do not tell process
  // group, size and peer. Only for 3d jobs.
  bool coalesced_sends = false;
  // Each rank's clock has a constant offset, uniform within +- this, and a drift, uniform within +-
  // so many ns per second.
  std::int64_t clock_offset_max_ns = 0;
  std::int64_t clock_drift_max_ppb = 0;
  std::vector<PlantedCause> causes;
  GroupNames group_names = GroupNames::kDescribed;
  std::vector<int> missing_ranks;  // ascending: simulated, but not written
  // Layers are captured in CUDA graphs and replayed; only for ddp, single and post-training jobs.
  bool cuda_graphs = false;
  // Nothing is read back at the end of a step: hosts run ahead as far as the launch queue allows.
  // Not for post-training jobs.
  bool run_ahead = false;
  bool stacks = false;  // with Python frames
  // Also writes what an agent would have reported of hosts and devices (telemetry_writer.h). Always
  // on when a planted cause shows only there.
  bool telemetry = false;
  bool compress = true;  // .json.gz instead of .json
  int threads = 0;       // ranks written in parallel; 0 = one per processor core
};

}  // namespace rankscope::sim
