// All results for a post-training run, computed once, for the tables and the causes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "post_training/base/data.h"
#include "post_training/causes/cause.h"
#include "post_training/rollouts/batches.h"
#include "post_training/rollouts/staleness.h"
#include "post_training/steps/overlap.h"
#include "post_training/steps/padding.h"
#include "post_training/steps/role_steps.h"

namespace rankscope::post_training {

struct Study {
  Analysis analysis;
  Causes causes;
};

// O(n log n) in steps, phases, rollouts and sequences.
Study StudyOf(PostData data);

}  // namespace rankscope::post_training
