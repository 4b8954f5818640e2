// What causes are looked for in.
#pragma once

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

// What a step would take with a shorter generation: all of it comes off where generation and
// training take turns; where roles run side by side, max(G - less, B) + S against max(G, B) + S.
// Share of the step's time; of generation's where no step is known. `generation` is what `less` was
// measured on.
double GainOfGeneration(const Analysis& analysis, double less, double generation);
// "of the step" or "of generation", as the gain above.
const char* GainBase(const Analysis& analysis);

}  // namespace rankscope::post_training
