// How old the weights were that made a sample: versions between those with which it was begun and
// those that it trained. An information, not a cost: what is bearable is for the algorithm to say.
#pragma once

#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

struct StalenessBin {
  std::int64_t versions = 0;
  std::int64_t samples = 0;
};

struct Staleness {
  std::vector<StalenessBin> bins;  // by versions; of rollouts that tell both
  Real mean, most;                 // of these, else of the log's steps
  bool is_of_log = false;
};

Staleness StalenessOf(const PostData& data);

}  // namespace rankscope::post_training
