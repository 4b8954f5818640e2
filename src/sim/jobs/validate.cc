#include <algorithm>

#include "sim/jobs/job_plan.h"
#include "sim/model/job_defaults.h"

namespace rankscope::sim {
namespace {

constexpr int kMaxRanks = 20'000;
constexpr int kMaxSteps = 100'000;
constexpr std::int64_t kMaxClockOffsetNs = 3'600'000'000'000;
constexpr std::int64_t kMaxClockDriftPpb = 1'000'000;
// One bit each in a CauseSet, one counter each in Draws.
constexpr std::size_t kMaxCauses = 60;
constexpr double kMostLeaked = 0.5;  // of the device's memory

Status Refuse(std::string_view option, const auto& value, std::string_view range) {
  return Error(StatusCode::kInvalidArgument, "{}: {} is out of range: {}", option, value, range);
}

// Whether there is somebody to reduce gradients with, or a pipeline.
bool FitsDegrees(CauseId cause, const Degrees& degrees) {
  switch (cause) {
    case CauseId::kExposedCommunication:
    case CauseId::kSmallCollectives:
      return degrees.dp * degrees.cp > 1;
    case CauseId::kExpertImbalance:
      return degrees.ep > 1;
    case CauseId::kPipelineBubble:
    case CauseId::kPipelineStageImbalance:
      return degrees.pp > 1;
    default:
      return true;
  }
}

Status ValidateCause(const SimulateOptions& options, const PlantedCause& planted) {
  const CauseInfo& info = InfoOf(planted.cause);
  if ((info.jobs & Bit(options.job)) == 0) {
    return Error(StatusCode::kInvalidArgument, "plant: {} does not fit this job: {}", info.name,
                 info.why_not);
  }
  if (info.needs_ranks && options.ranks == 1) {
    return Error(StatusCode::kInvalidArgument,
                 "plant: {} does not fit a job of one rank: it has nobody to talk to", info.name);
  }
  if (!FitsDegrees(planted.cause, options.degrees)) {
    return Error(StatusCode::kInvalidArgument,
                 "plant: {} does not fit this layout: it happens between the ranks of a {} group, "
                 "which has one",
                 info.name,
                 planted.cause == CauseId::kExpertImbalance ? "ep"
                 : (info.jobs & Bit(JobKind::kDdp)) != 0    ? "dp"
                                                            : "pp");
  }
  if (info.scope == Scope::kWholeJob && !planted.ranks.empty()) {
    return Error(StatusCode::kInvalidArgument,
                 "plant: {} strikes all ranks, since it changes what they do together: leave out "
                 "the ranks",
                 info.name);
  }
  if (!(planted.severity >= 0 && planted.severity <= info.max_severity)) {
    return Error(StatusCode::kInvalidArgument,
                 "plant: {}: severity {} is out of range: 0 to {} ({})", info.name,
                 planted.severity, info.max_severity, info.severity);
  }
  if (!planted.ranks.empty() && planted.ranks.back() >= options.ranks) {
    return Error(StatusCode::kInvalidArgument, "plant: {}: the job has no rank {}", info.name,
                 planted.ranks.back());
  }
  if (!planted.steps.empty() && planted.steps.back() >= options.steps) {
    return Error(StatusCode::kInvalidArgument,
                 "plant: {}: the job has no step {}; steps count from 0", info.name,
                 planted.steps.back());
  }
  if (planted.cause == CauseId::kMemoryLeak && planted.severity * options.steps > kMostLeaked) {
    return Error(StatusCode::kInvalidArgument,
                 "plant: memory-leak: severity {} fills the device before {} steps are over",
                 planted.severity, options.steps);
  }
  return OkStatus();
}

Status ValidateGraphs(const SimulateOptions& options) {
  if (!options.cuda_graphs) return OkStatus();
  constexpr unsigned kJobs =
      Bit(JobKind::kDdp) | Bit(JobKind::kSingle) | Bit(JobKind::kPostTraining);
  if ((kJobs & Bit(options.job)) == 0) {
    return Error(StatusCode::kInvalidArgument,
                 "cuda-graphs: {} jobs communicate within their layers and are not simulated with "
                 "graphs; ddp, single and post-training are",
                 NameOf(options.job));
  }
  for (const PlantedCause& planted : options.causes) {
    switch (planted.cause) {
      case CauseId::kHostSync:
      case CauseId::kAllocatorThrash:
      case CauseId::kMemoryPressure:
      case CauseId::kSequenceImbalance:
        return Error(StatusCode::kInvalidArgument,
                     "plant: {} does not fit a job with cuda-graphs: a graph holds its layers with "
                     "fixed shapes and memory, and without waits of the host",
                     InfoOf(planted.cause).name);
      default:
        break;
    }
  }
  return OkStatus();
}

Status ValidatePipeline(const SimulateOptions& options, const Degrees& degrees) {
  const bool is_pipeline = options.job == JobKind::kThreeD && degrees.pp > 1;
  if (options.virtual_stages < 1 || options.virtual_stages > 64) {
    return Refuse("virtual-stages", options.virtual_stages, "1 to 64");
  }
  if (options.coalesced_sends && !is_pipeline) {
    return Error(StatusCode::kInvalidArgument,
                 "coalesced-sends: only stages of a pipeline send: 3d jobs with pp=2 or more");
  }
  if (options.virtual_stages == 1) return OkStatus();
  if (!is_pipeline || degrees.cp > 1) {
    return Error(StatusCode::kInvalidArgument,
                 "virtual-stages: interleaved schedules are simulated of 3d jobs with pp=2 or more "
                 "and without cp");
  }
  if (options.micro_batches % degrees.pp != 0) {
    return Refuse("micro-batches", options.micro_batches,
                  "with virtual-stages a multiple of the stages");
  }
  return OkStatus();
}

}  // namespace

Status Validate(const SimulateOptions& options) {
  if (options.out_folder.empty()) {
    return Error(StatusCode::kInvalidArgument, "out: name the folder to write to");
  }
  if (options.ranks < 1 || options.ranks > kMaxRanks) {
    return Refuse("ranks", options.ranks, "1 to 20000");
  }
  if (options.job == JobKind::kSingle && options.ranks != 1) {
    return Refuse("ranks", options.ranks, "a single job has 1");
  }
  if (options.job == JobKind::kPostTraining && options.ranks < 2) {
    return Refuse("ranks", options.ranks,
                  "post-training needs a generator and a trainer: 2 or more");
  }
  if (options.steps < 1 || options.steps > kMaxSteps) {
    return Refuse("steps", options.steps, "1 to 100000");
  }
  // Ids in a trace are 32 bits wide.
  if (options.events_per_rank < 1 || options.events_per_rank > 1'000'000'000) {
    return Refuse("events", options.events_per_rank, "1 to 1000000000");
  }
  if (options.clock_offset_max_ns < 0 || options.clock_offset_max_ns > kMaxClockOffsetNs) {
    return Refuse("clock offset", options.clock_offset_max_ns, "0 to one hour, in ns");
  }
  if (options.clock_drift_max_ppb < 0 || options.clock_drift_max_ppb > kMaxClockDriftPpb) {
    return Refuse("clock drift", options.clock_drift_max_ppb, "0 to 1000 ppm, in ppb");
  }
  const SimulateOptions filled = WithDefaults(options);
  if (filled.model->heads % filled.degrees.tp != 0) {
    return Refuse("layout: tp", filled.degrees.tp, "a divisor of the model's 16 heads");
  }
  // Tiles of attention's kernels.
  constexpr std::int64_t kTile = 128;
  if (filled.model->sequence / kTile % filled.degrees.cp != 0) {
    return Refuse("layout: cp", filled.degrees.cp, "a divisor of the sequence's 16 blocks of 128");
  }
  if (filled.degrees.dp % filled.degrees.ep != 0) {
    return Refuse("layout: ep", filled.degrees.ep, "a divisor of dp");
  }
  if (options.micro_batches < 0 || options.micro_batches > 4096) {
    return Refuse("micro-batches", options.micro_batches, "1 to 4096, or 0");
  }
  RS_RETURN_IF_ERROR(ValidatePipeline(options, filled.degrees));
  if (!options.missing_ranks.empty() && options.missing_ranks.back() >= options.ranks) {
    return Refuse("missing-ranks", options.missing_ranks.back(), "ranks of the job");
  }
  if (static_cast<int>(options.missing_ranks.size()) == options.ranks) {
    return Error(StatusCode::kInvalidArgument, "missing-ranks: no rank is left to write");
  }
  RS_RETURN_IF_ERROR(ValidateGraphs(options));
  if (options.run_ahead && options.job == JobKind::kPostTraining) {
    return Error(StatusCode::kInvalidArgument,
                 "run-ahead: a post-training job's hosts wait for what is exchanged in every step");
  }
  if (options.threads < 0) return Refuse("threads", options.threads, "0 or more");
  if (options.causes.size() > kMaxCauses) {
    return Refuse("plant", options.causes.size(), "at most 60 causes");
  }
  for (const PlantedCause& planted : options.causes) {
    RS_RETURN_IF_ERROR(ValidateCause(filled, planted));
  }
  return OkStatus();
}

}  // namespace rankscope::sim
