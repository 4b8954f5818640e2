// The wall time of each role in each step, divided into phases.
//
// In a log, the trainer's loop is a partition already: its phases follow each other, and the rest
// of the step is unknown. In a record, a role's step lasts from its first phase's begin to that of
// its next step (the last one to its last end). Where phases of a role overlap, the moment belongs
// to the first of train, log_prob, generate, sync, reshard, checkpoint, reward, other, wait. Time
// without a phase is unknown.
#pragma once

#include <string>
#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

struct RoleStep {
  std::string role;
  std::int64_t step = 0;
  bool is_of_record = false;
  bool is_counted = true;  // false: the first step, if it takes over 1.5 times the median
  std::int64_t wall = 0;
  PhaseTimes phases{};  // sum to wall
  Ns begin;             // for records, on their clock
  StepFacts facts;      // of logs
};

// The kind of a role, by the phases that it has.
enum class RoleKind : std::uint8_t { kColocated, kTrainer, kGenerator, kOther };
std::string_view ToString(RoleKind kind);  // "colocated", "trainer", "generator", "other"

struct RoleSteps {
  std::string role;
  RoleKind kind = RoleKind::kOther;
  Count gpus;
  std::vector<RoleStep> steps;  // by number

  std::int64_t counted() const;
  std::int64_t wall() const;              // of the counted steps
  std::int64_t Total(Phase phase) const;  // of the counted steps
  double Mean(Phase phase) const;         // ns per counted step; 0 if there is none
  double MeanWall() const;
};

// From all steps and records. A step whose phases exceed its time by over 0.5 % and 1 ms is
// inconsistent: it is left out and noted. O(n log n).
std::vector<RoleSteps> RoleStepsOf(const PostData& data, std::vector<std::string>& notes);

}  // namespace rankscope::post_training
