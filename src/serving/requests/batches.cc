#include "serving/requests/batches.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics/statistics.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kBatchesLeastSteps = 20;
constexpr std::size_t kLeastSizes = 3;

std::optional<DecodeCost> CostOf(const std::vector<Iteration>& iterations) {
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  std::set<std::int64_t> sizes;
  // One stall of a second among steps of 20 ms would tilt the line: beyond 4 times the median of
  // all decode steps a step is left out.
  std::vector<double> all;
  for (const Iteration& one : iterations)
    if (KindOf(one) == BatchKind::kDecode && !one.is_dummy)
      all.push_back(static_cast<double>(one.elapsed_ns));
  if (all.size() < static_cast<std::size_t>(kBatchesLeastSteps)) return std::nullopt;
  const double most = 4 * Median(all);
  const auto counts = [&](const Iteration& one) {
    return KindOf(one) == BatchKind::kDecode && !one.is_dummy &&
           static_cast<double>(one.elapsed_ns) <= most;
  };
  for (const Iteration& one : iterations) {
    if (!counts(one)) continue;
    const auto x = static_cast<double>(one.generation_requests);
    const auto y = static_cast<double>(one.elapsed_ns);
    n += 1;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
    sizes.insert(one.generation_requests);
  }
  const double spread = n * sum_xx - sum_x * sum_x;
  if (n < kBatchesLeastSteps || sizes.size() < kLeastSizes || !(spread > 0)) return std::nullopt;
  DecodeCost cost{.steps = static_cast<std::int64_t>(n)};
  cost.slope_ns = std::max(0.0, (n * sum_xy - sum_x * sum_y) / spread);
  cost.floor_ns = (sum_y - cost.slope_ns * sum_x) / n;
  if (!(cost.floor_ns > 0)) return std::nullopt;
  std::vector<double> errors;
  for (const Iteration& one : iterations) {
    if (!counts(one) || one.elapsed_ns <= 0) continue;
    const auto y = static_cast<double>(one.elapsed_ns);
    errors.push_back(100 * std::abs(y - cost.At(static_cast<double>(one.generation_requests))) / y);
  }
  cost.error_pct = errors.empty() ? 0 : Median(std::move(errors));
  return cost;
}

}  // namespace

std::string_view ToString(BatchKind kind) {
  switch (kind) {
    case BatchKind::kDecode:
      return "decode";
    case BatchKind::kMixed:
      return "mixed";
    case BatchKind::kPrefill:
      return "prefill";
    case BatchKind::kIdle:
      return "idle";
  }
  return "";
}

BatchKind KindOf(const Iteration& one) {
  if (one.generation_requests > 0)
    return one.context_requests > 0 ? BatchKind::kMixed : BatchKind::kDecode;
  return one.context_requests > 0 ? BatchKind::kPrefill : BatchKind::kIdle;
}

Batches BatchesOf(const std::vector<Iteration>& iterations) {
  Batches batches{.cost = CostOf(iterations)};
  double decode_time = 0, decode_weighted = 0, lost = 0, spent = 0;
  std::int64_t largest_decode = 0, largest_mixed = 0;
  for (const Iteration& one : iterations) {
    if (one.is_dummy) continue;
    const auto elapsed = static_cast<double>(one.elapsed_ns);
    const auto requests = static_cast<double>(one.generation_requests);
    const BatchKind kind = KindOf(one);
    spent += elapsed * requests;
    if (kind == BatchKind::kDecode) {
      decode_time += elapsed;
      decode_weighted += elapsed * requests;
      largest_decode = std::max(largest_decode, one.generation_requests);
    } else if (kind == BatchKind::kMixed) {
      ++batches.mixed;
      largest_mixed = std::max(largest_mixed, one.generation_requests);
      if (batches.cost) lost += std::max(0.0, elapsed - batches.cost->At(requests)) * requests;
    }
  }
  if (decode_time > 0) batches.decode_requests = decode_weighted / decode_time;
  if (batches.cost && spent > 0 && batches.mixed > 0 &&
      static_cast<double>(largest_mixed) <= 1.25 * static_cast<double>(largest_decode))
    batches.lost_to_prefill = lost / spent;
  return batches;
}

}  // namespace rankscope::serving
