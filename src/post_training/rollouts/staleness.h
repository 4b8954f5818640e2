// The age of the weights that generated a sample: the number of versions between the start of the
// sample and the training on it. Information, not a cost: the algorithm determines what is
// acceptable.
#pragma once

#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

struct StalenessBin {
  std::int64_t versions = 0;
  std::int64_t samples = 0;
};

struct Staleness {
  std::vector<StalenessBin> bins;  // by versions; of rollouts with both versions
  Real mean, most;                 // of these rollouts, otherwise of the log's steps
  bool is_of_log = false;
};

Staleness StalenessOf(const PostData& data);

}  // namespace rankscope::post_training
