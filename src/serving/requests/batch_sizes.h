// Steps of the engine by the size of their batch.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "serving/requests/batches.h"

namespace rankscope::serving {

struct SizeRow {
  BatchKind kind = BatchKind::kDecode;
  std::int64_t least = 0, most = 0;  // requests of a step, context and generation
  std::int64_t iterations = 0;
  double requests = 0;  // mean of a step
  double mean_ns = 0, p50_ns = 0, p99_ns = 0;
  double context_tokens = 0;           // mean of a step
  std::optional<double> tokens_per_s;  // generated; none of prefill, or of steps without a time
};

// The smallest and largest of the sizes in one row with `size` >= 1: each alone up to 16, then
// eight rows between powers of two. 17 is with 18, 40 with 37 to 39.
std::pair<std::int64_t, std::int64_t> SizesWith(std::int64_t size);

// By kind and size; idle and dummy steps are left out. O(n log n).
std::vector<SizeRow> BySize(const std::vector<Iteration>& iterations);

}  // namespace rankscope::serving
