#include "op_cost/models/attention_pairs.h"

#include <algorithm>

namespace rankscope {
namespace {

// Sum over i in [0, count) of i + first, held within [0, limit].
double SumClamped(double count, double first, double limit) {
  const double begin = std::clamp(-first, 0.0, count);
  const double end = std::clamp(limit - first, begin, count);
  return (end - begin) * (begin + end - 1 + 2 * first) / 2 + (count - end) * limit;
}

}  // namespace

double PairsOf(double queries, double keys, const Mask& mask) {
  const double shift = mask.is_aligned_at_end ? keys - queries : 0;
  const double up_to =
      mask.right < 0 ? queries * keys : SumClamped(queries, shift + mask.right + 1, keys);
  const double before = mask.left < 0 ? 0 : SumClamped(queries, shift - mask.left, keys);
  return up_to - before;
}

}  // namespace rankscope
