#include "serving/requests/batches.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics/statistics.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kBatchesLeastSteps = 20;
constexpr std::size_t kLeastSizes = 3;

constexpr double kAlike = 1.25;

// Decode steps, without those that take over 4 times their median: one stall of a second among
// steps of 20 ms would tilt the line.
std::vector<const Iteration*> DecodeSteps(const std::vector<Iteration>& iterations) {
  std::vector<const Iteration*> steps;
  std::vector<double> elapsed;
  for (const Iteration& one : iterations) {
    if (KindOf(one) != BatchKind::kDecode || one.is_dummy) continue;
    steps.push_back(&one);
    elapsed.push_back(static_cast<double>(one.elapsed_ns));
  }
  if (steps.empty()) return steps;
  const double most = 4 * Median(std::move(elapsed));
  std::erase_if(steps,
                [&](const Iteration* one) { return static_cast<double>(one->elapsed_ns) > most; });
  return steps;
}

std::set<std::int64_t> SizesOf(const std::vector<const Iteration*>& steps) {
  std::set<std::int64_t> sizes;
  for (const Iteration* one : steps) sizes.insert(one->generation_requests);
  return sizes;
}

double ErrorOf(const DecodeCost& cost, const std::vector<const Iteration*>& steps) {
  std::vector<double> errors;
  for (const Iteration* one : steps) {
    if (one->elapsed_ns <= 0) continue;
    const auto y = static_cast<double>(one->elapsed_ns);
    errors.push_back(100 * std::abs(y - cost.At(static_cast<double>(one->generation_requests))) /
                     y);
  }
  return errors.empty() ? 0 : Median(std::move(errors));
}

// Least squares; a constant where all are of one size, or `is_constant`.
std::optional<DecodeCost> Fit(const std::vector<const Iteration*>& steps, bool is_constant) {
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const Iteration* one : steps) {
    const auto x = static_cast<double>(one->generation_requests);
    const auto y = static_cast<double>(one->elapsed_ns);
    n += 1;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const double spread = n * sum_xx - sum_x * sum_x;
  DecodeCost cost{.steps = static_cast<std::int64_t>(n)};
  if (!is_constant && spread > 0)
    cost.slope_ns = std::max(0.0, (n * sum_xy - sum_x * sum_y) / spread);
  cost.floor_ns = (sum_y - cost.slope_ns * sum_x) / n;
  if (!(cost.floor_ns > 0)) return std::nullopt;
  cost.error_pct = ErrorOf(cost, steps);
  return cost;
}

bool IsEnough(const std::vector<const Iteration*>& steps) {
  return steps.size() >= static_cast<std::size_t>(kBatchesLeastSteps);
}

std::optional<DecodeCost> CostOf(const std::vector<const Iteration*>& steps) {
  if (!IsEnough(steps) || SizesOf(steps).size() < kLeastSizes) return std::nullopt;
  return Fit(steps, false);
}

// Of one or two sizes, where the mixed steps are of about these.
std::optional<DecodeCost> CostAlone(const std::vector<const Iteration*>& steps,
                                    const std::vector<Iteration>& iterations) {
  const std::set<std::int64_t> sizes = SizesOf(steps);
  if (!IsEnough(steps) || sizes.empty() || sizes.size() >= kLeastSizes) return std::nullopt;
  const auto least = static_cast<double>(*sizes.begin()),
             most = static_cast<double>(*sizes.rbegin());
  for (const Iteration& one : iterations) {
    if (KindOf(one) != BatchKind::kMixed || one.is_dummy) continue;
    const auto size = static_cast<double>(one.generation_requests);
    if (size * kAlike < least || size > kAlike * most) return std::nullopt;
  }
  return Fit(steps, most <= kAlike * least);
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
  const std::vector<const Iteration*> steps = DecodeSteps(iterations);
  Batches batches{.cost = CostOf(steps)};
  batches.alone = batches.cost ? batches.cost : CostAlone(steps, iterations);
  double decode_time = 0, decode_weighted = 0, lost = 0, spent = 0;
  std::int64_t largest_decode = 0, largest_mixed = 0;
  for (const Iteration& one : iterations) {
    if (one.is_dummy) continue;
    const auto elapsed = static_cast<double>(one.elapsed_ns);
    const auto requests = static_cast<double>(one.generation_requests);
    const BatchKind kind = KindOf(one);
    spent += elapsed * requests;
    if (kind == BatchKind::kDecode) {
      ++batches.decodes;
      decode_time += elapsed;
      decode_weighted += elapsed * requests;
      largest_decode = std::max(largest_decode, one.generation_requests);
    } else if (kind == BatchKind::kMixed) {
      ++batches.mixed;
      largest_mixed = std::max(largest_mixed, one.generation_requests);
      if (batches.alone) lost += std::max(0.0, elapsed - batches.alone->At(requests)) * requests;
    }
  }
  if (decode_time > 0) batches.decode_requests = decode_weighted / decode_time;
  batches.is_mixed_larger =
      static_cast<double>(largest_mixed) > kAlike * static_cast<double>(largest_decode);
  if (batches.alone && spent > 0 && batches.mixed > 0 && !batches.is_mixed_larger)
    batches.lost_to_prefill = lost / spent;
  return batches;
}

}  // namespace rankscope::serving
