// The data in which causes are searched.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "post_training/base/data.h"
#include "post_training/rollouts/batches.h"
#include "post_training/rollouts/staleness.h"
#include "post_training/steps/overlap.h"
#include "post_training/steps/padding.h"
#include "post_training/steps/role_steps.h"

namespace rankscope::post_training {

struct Analysis {
  PostData data;
  std::vector<RoleSteps> roles;
  std::optional<Overlap> overlap;
  Batches batches;
  Staleness staleness;
  std::optional<Padding> padding;

  const RoleSteps* pace() const { return Pace(roles); }
  // The mean step time; 0 if unknown.
  double step() const { return pace() == nullptr ? 0 : pace()->MeanWall(); }
};

// The gain from a shorter generation. Each counted step saves min(less, generation) with colocated
// roles, and min(less, wait) with split roles, since the trainer's own work continues meanwhile.
// `by_step` has `less` (ns) for steps with known batches; all others use `mean`. Returns the share
// of the steps' time; without steps mean / generation.
double GainOfGeneration(const Analysis& analysis, const std::map<std::int64_t, double>& by_step,
                        double mean, double generation);
// "of the step" or "of generation": the base of the gain above.
const char* GainBase(const Analysis& analysis);

}  // namespace rankscope::post_training
