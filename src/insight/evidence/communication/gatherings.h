// What gatherings of sharded parameters (FSDP, ZeRO) show beside their time: bytes, repetition and
// sizes that the program could choose.
#pragma once

#include <cstddef>
#include <vector>

#include "insight/evidence/communication/hideable.h"

namespace rankscope {

struct Gatherings {
  // O(kinds + exchanges).
  Gatherings(const RuleInput& input, const std::vector<HideableOfStep>& hideable);

  // Parameters are sharded: most of the time of this traffic is gathering them and scattering their
  // gradients, and not all-reduces.
  bool are_of_shards = false;
  // Most bytes are gathered in fp32, while most products compute in 16 bits.
  bool are_too_wide = false;
  // So many times in a step parameters are gathered for a forward behind a backward: micro-batches
  // that gather all of them again. 1: once.
  std::size_t micro_batches = 1;
  double per_step = 0;  // of a group
  double mean_bytes = 0;
};

}  // namespace rankscope
