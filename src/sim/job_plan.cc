#include "sim/job_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/jitter.h"

namespace rankscope::sim {
namespace {

constexpr std::uint64_t kClockDraws = 0x636C6F636B;

// What weights and optimizer hold before the first step.
constexpr std::int64_t kBaselineBytes = std::int64_t{6} << 30;

std::int64_t PerMille(double factor) { return std::llround(factor * 1000); }

}  // namespace

JobPlan::JobPlan(const SimulateOptions& job_options, const StepSize& step_size, CauseSet planted,
                 std::int64_t healthy_step_ns)
    : options_(job_options),
      size_(step_size),
      planted_(planted),
      healthy_step_ns_(healthy_step_ns),
      job_(MakeJob(options_, size_, &library_)),
      layout_(job_->MakeLayout()) {
  for (int step = 0; step < options_.steps; ++step) {
    step_names_.push_back(fmt::format("ProfilerStep#{}", kFirstStepNumber + step));
  }
  MakePrograms();
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

void JobPlan::MakePrograms() {
  const int steps = options_.causes.empty() ? 1 : options_.steps;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    for (int step = 0; step < steps; ++step) {
      const ProgramKey key{job_->RoleOf(rank), StrikingAt(rank, step)};
      if (programs_.contains(key)) continue;
      const Program& program =
          programs_.emplace(key, job_->MakeStep(key.first, Active(key.second))).first->second;
      allocators_.emplace(key, Warm(program));
      event_slots_ = std::max(event_slots_, program.events);
      memory_slots_ = std::max(memory_slots_, program.memory);
    }
  }
}

CachingAllocator JobPlan::Warm(const Program& program) const {
  CachingAllocator allocator(kBaselineBytes, kBaselineBytes);
  std::vector<Block> blocks(program.memory);
  for (const Call& call : program.calls) {
    for (const Instruction& instruction : *call.segment) {
      if (instruction.code != Code::kAllocate && instruction.code != Code::kFree) continue;
      Block& block = blocks[call.memory + instruction.index];
      if (instruction.code == Code::kFree) {
        allocator.Free(block);
      } else {
        bool asked_driver = false;
        block = allocator.Allocate(instruction.value, &asked_driver);
      }
    }
  }
  return allocator;
}

const Program& JobPlan::program(int rank, int step) const {
  return programs_.at({job_->RoleOf(rank), StrikingAt(rank, step)});
}

const CachingAllocator& JobPlan::warm_allocator(int rank) const {
  return allocators_.at({job_->RoleOf(rank), StrikingAt(rank, 0)});
}

StepEffects JobPlan::effects(int rank, int step) const {
  StepEffects effects;
  const ActiveCauses active = Active(StrikingAt(rank, step));
  effects.device_per_mille = PerMille(1 + active.severity(CauseId::kSlowGpu));
  effects.host_per_mille = PerMille(1 + active.severity(CauseId::kSlowHost));
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
