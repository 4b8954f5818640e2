// The wall time of each role in each step, divided into phases.
//
// Of a log, the trainer's loop is a partition already: its phases follow each other, and what of
// the step they leave is unknown. Of a record, a role's step lasts from its first phase's begin to
// that of its next step (the last to its last end); where phases of a role overlap, the moment
// belongs to the first of train, log_prob, generate, sync, reshard, checkpoint, reward, other,
// wait; what no phase covers is unknown.
#pragma once

#include <string>
#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

struct RoleStep {
  std::string role;
  std::int64_t step = 0;
  bool is_of_record = false;
  bool is_counted = true;  // false: the first step where it takes over 1.5 times the median
  std::int64_t wall = 0;
  PhaseTimes phases{};  // sum to wall
  Ns begin;             // of records, by their clock
  StepFacts facts;      // of logs
};

// What a role does, by the phases that it has.
enum class RoleKind : std::uint8_t { kColocated, kTrainer, kGenerator, kOther };
std::string_view ToString(RoleKind kind);  // "colocated", "trainer", "generator", "other"

struct RoleSteps {
  std::string role;
  RoleKind kind = RoleKind::kOther;
  Count gpus;
  std::vector<RoleStep> steps;  // by number

  std::int64_t counted() const;
  std::int64_t wall() const;              // of the counted ones
  std::int64_t Total(Phase phase) const;  // of the counted ones
  double Mean(Phase phase) const;         // ns a counted step; 0 without one
  double MeanWall() const;
};

// Of all steps and records. Steps whose phases exceed their time by over 0.5 % and 1 ms contradict
// themselves: they are left out and noted. O(n log n).
std::vector<RoleSteps> RoleStepsOf(const PostData& data, std::vector<std::string>& notes);

}  // namespace rankscope::post_training
