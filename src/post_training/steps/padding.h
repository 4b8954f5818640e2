// The share of padding in the computation of supervised steps (SFT, DPO).
//
//   padding = 1 - tokens / padded tokens; each sequence is padded to the longest of its
//   micro-batch, or to the length in the record
#pragma once

#include <optional>
#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

struct Padding {
  std::int64_t sequences = 0, micro_batches = 0;
  std::int64_t tokens = 0, padded = 0;
  double mean_length = 0, longest = 0;

  double Share() const;  // 0 to 1
};

// nullopt without sequences. O(n log n).
std::optional<Padding> PaddingOf(const std::vector<Sequence>& sequences);

}  // namespace rankscope::post_training
