#include "sim/jobs/job_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/model/jitter.h"
#include "sim/model/job_defaults.h"

namespace rankscope::sim {
namespace {

constexpr std::uint64_t kClockDraws = 0x636C6F636B;

// What weights and optimizer hold before the first step.
constexpr std::int64_t kBaselineBytes = std::int64_t{6} << 30;

// What is reserved of the device's memory when it is nearly full.
constexpr std::int64_t kFullBytes = kDeviceBytes / 100 * 98;

constexpr std::uint64_t kLengthDraws = 0x6C656E677468;
constexpr std::uint64_t kPauseDraws = 0x7061757365;
constexpr std::uint64_t kStepsPerPause = 4;
constexpr double kHealthyBatchShare = 0.5;  // of a step: the workers are twice as fast

// Lets the allocator serve a step, which then holds all memory that the next will need.
void Warm(const Program& program, CachingAllocator* allocator) {
  std::vector<Block> blocks(program.memory);
  for (const Call& call : program.calls) {
    for (const Instruction& instruction : *call.segment) {
      if (instruction.code != Code::kAllocate && instruction.code != Code::kFree) continue;
      Block& block = blocks[call.memory + instruction.index];
      if (instruction.code == Code::kFree) {
        allocator->Free(block);
      } else {
        bool asked_driver = false;
        block = allocator->Allocate(instruction.value, &asked_driver);
      }
    }
  }
}

std::int64_t PerMille(double factor) { return std::llround(factor * 1000); }

}  // namespace

JobPlan::JobPlan(const SimulateOptions& job_options, const StepSize& step_size, CauseSet planted,
                 std::int64_t healthy_step_ns)
    : options_(WithDefaults(job_options)),
      size_(step_size),
      planted_(planted),
      healthy_step_ns_(healthy_step_ns),
      library_(options_.stacks),
      job_(MakeJob(options_, size_, &library_)),
      layout_(job_->MakeLayout()) {
  for (int step = 0; step < options_.steps; ++step) {
    step_names_.push_back(fmt::format("ProfilerStep#{}", kFirstStepNumber + step));
  }
  for (PlantedCause& cause : options_.causes) {
    if (InfoOf(cause.cause).once && cause.steps.empty()) cause.steps = {options_.steps / 2};
    if (InfoOf(cause.cause).scope == Scope::kStage) cause.ranks = StagesOf(cause.ranks);
  }
  MakePrograms();
  MakeAllocators();
}

std::vector<int> JobPlan::StagesOf(const std::vector<int>& ranks) const {
  std::set<int> stages;
  for (const int rank : ranks) stages.insert(layout_.place(rank).at.pp);
  if (stages.empty()) stages.insert(layout_.degrees.pp / 2);
  std::vector<int> all;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    if (stages.contains(layout_.place(rank).at.pp)) all.push_back(rank);
  }
  return all;
}

CauseSet JobPlan::StrikingAt(int rank, int step) const {
  CauseSet striking = 0;
  for (std::size_t i = 0; i < options_.causes.size(); ++i) {
    if ((planted_ >> i & 1) != 0 && options_.causes[i].StrikesAt(rank, step)) {
      striking |= CauseSet{1} << i;
    }
  }
  return striking;
}

ActiveCauses JobPlan::Active(CauseSet striking) const {
  ActiveCauses active;
  for (std::size_t i = 0; i < options_.causes.size(); ++i) {
    if ((striking >> i & 1) == 0) continue;
    const PlantedCause& planted = options_.causes[i];
    active.Add(planted.cause, planted.severity, static_cast<std::uint8_t>(i + 1));
  }
  return active;
}

int JobPlan::VariantOf(int rank, int step, const ActiveCauses& active) const {
  if (active.severity(CauseId::kSequenceImbalance) == 0) return 0;
  const std::uint64_t draw = MixAll(options_.seed ^ kLengthDraws, static_cast<std::uint64_t>(rank),
                                    static_cast<std::uint64_t>(step));
  return static_cast<int>(draw % kBatchVariants);
}

JobPlan::ProgramKey JobPlan::KeyOf(int rank, int step) const {
  const CauseSet striking = StrikingAt(rank, step);
  return {job_->RoleOf(rank), striking, VariantOf(rank, step, Active(striking))};
}

void JobPlan::MakePrograms() {
  const int steps = options_.causes.empty() ? 1 : options_.steps;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    for (int step = 0; step < steps; ++step) {
      const ProgramKey key = KeyOf(rank, step);
      if (programs_.contains(key)) continue;
      const auto [role, striking, variant] = key;
      const StepRequest request{.role = role,
                                .causes = Active(striking),
                                .variant = variant,
                                .healthy_step_ns = healthy_step_ns_,
                                .cuda_graphs = options_.cuda_graphs,
                                .run_ahead = options_.run_ahead};
      const Program& program = programs_.emplace(key, job_->MakeStep(request)).first->second;
      event_slots_ = std::max(event_slots_, program.events);
      memory_slots_ = std::max(memory_slots_, program.memory);
    }
  }
}

bool JobPlan::UnderPressure(int rank) const {
  for (std::size_t i = 0; i < options_.causes.size(); ++i) {
    const PlantedCause& planted = options_.causes[i];
    if ((planted_ >> i & 1) == 0 || planted.cause != CauseId::kMemoryPressure) continue;
    if (planted.StrikesRank(rank)) return true;
  }
  return false;
}

void JobPlan::MakeAllocators() {
  // Longer batches first, so that shorter ones find blocks.
  for (auto at = programs_.rbegin(); at != programs_.rend(); ++at) {
    const auto [role, striking, variant] = at->first;
    for (const bool pressed : {false, true}) {
      const auto found =
          allocators_.try_emplace({role, pressed}, kBaselineBytes, kBaselineBytes).first;
      Warm(at->second, &found->second);
    }
  }
  for (auto& [key, allocator] : allocators_) {
    if (key.second)
      allocator.Hold(kFullBytes - allocator.reserved_bytes(),
                     kFullBytes - allocator.reserved_bytes());
  }
}

const Program& JobPlan::program(int rank, int step) const {
  if (options_.causes.empty()) step = 0;
  return programs_.at(KeyOf(rank, step));
}

const CachingAllocator& JobPlan::warm_allocator(int rank) const {
  return allocators_.at({job_->RoleOf(rank), UnderPressure(rank)});
}

StepEffects JobPlan::effects(int rank, int step) const {
  StepEffects effects;
  const ActiveCauses active = Active(StrikingAt(rank, step));
  effects.device_per_mille =
      PerMille(1 + active.severity(CauseId::kSlowGpu) + active.severity(CauseId::kPowerThrottle));
  effects.host_per_mille =
      PerMille(1 + active.severity(CauseId::kSlowHost) + active.severity(CauseId::kCpuContention));
  effects.link_per_mille = PerMille(1 + active.severity(CauseId::kSlowLink));
  effects.outlier_per_mille = PerMille(active.severity(CauseId::kNetworkJitter));

  const double late =
      std::max(active.severity(CauseId::kDataStarvation), active.severity(CauseId::kDataStraggler));
  const double batch_ns = static_cast<double>(healthy_step_ns_) / job_->BatchesPerStep();
  effects.batch_ns = std::llround(batch_ns * (late > 0 ? 1 + late : kHealthyBatchShare));
  effects.batch_lag_ns = std::llround(batch_ns * late);

  effects.favourite_per_mille = PerMille(active.severity(CauseId::kExpertImbalance));

  const double pause = active.severity(CauseId::kGcPause);
  const std::uint64_t draw = MixAll(options_.seed, kPauseDraws, static_cast<std::uint64_t>(rank));
  // Every rank in a step of its own of each four.
  if (pause > 0 && (draw + static_cast<std::uint64_t>(step)) % kStepsPerPause == 0) {
    const std::uint64_t where = Mix(draw ^ static_cast<std::uint64_t>(step));
    effects.pause_at = static_cast<int>(where % static_cast<std::uint64_t>(size_.layers));
    effects.pause_ns = std::llround(pause * static_cast<double>(healthy_step_ns_));
  }
  return effects;
}

Clock JobPlan::clock(int rank) const {
  Clock clock;
  const auto draw = [&](std::uint64_t what, std::int64_t most) {
    if (most == 0) return std::int64_t{0};
    const std::uint64_t value =
        MixAll(options_.seed, kClockDraws + what, static_cast<std::uint64_t>(rank));
    return static_cast<std::int64_t>(value % (2 * static_cast<std::uint64_t>(most) + 1)) - most;
  };
  clock.offset_ns = draw(0, options_.clock_offset_max_ns);
  clock.drift_ppb = draw(1, options_.clock_drift_max_ppb);
  return clock;
}

}  // namespace rankscope::sim
