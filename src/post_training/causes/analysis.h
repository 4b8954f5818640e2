// What causes are looked for in.
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
  // The mean step's time; 0 where it is not known.
  double step() const { return pace() == nullptr ? 0 : pace()->MeanWall(); }
};

// What a shorter generation gains. Of each counted step min(less, generation) comes off where roles
// are colocated, and min(less, wait) where they are split, as the trainer's own work goes on
// meanwhile. `by_step` has less (ns) of the steps whose batches are known; of all others `mean` is
// taken. Share of the steps' time; without steps mean / generation.
double GainOfGeneration(const Analysis& analysis, const std::map<std::int64_t, double>& by_step,
                        double mean, double generation);
// "of the step" or "of generation", as the gain above.
const char* GainBase(const Analysis& analysis);

}  // namespace rankscope::post_training
