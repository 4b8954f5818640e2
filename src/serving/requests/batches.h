// The work of the engine's steps, by kind, and the cost of a step.
//
// A step is `decode` (generation requests alone), `prefill` (context requests alone), `mixed`, or
// `idle` (none). Steps that only fill up for other data-parallel ranks are left out.
//
// Cost of decode steps: T(n) = floor + slope * n, by least squares over the decode steps, n being
// their requests. The extra cost of a mixed step over a decode step of as many requests is lost to
// its generation requests:
//
//   lost = sum over mixed of max(0, T - T(g)) * g / sum over steps with g > 0 of T * g
//
// Decode steps of one or two sizes give no such line, but mixed steps of about these sizes can be
// compared with them: with their mean, or with the line between two that differ by a quarter.
#pragma once

#include <string_view>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

enum class BatchKind : std::uint8_t { kDecode, kMixed, kPrefill, kIdle };
inline constexpr std::size_t kBatchKindCount = 4;
std::string_view ToString(BatchKind kind);
BatchKind KindOf(const Iteration& iteration);

struct DecodeCost {
  double floor_ns = 0;
  double slope_ns = 0;  // per request
  std::int64_t steps = 0;
  double error_pct = 0;  // median of |T - T(n)| / T

  double At(double requests) const { return floor_ns + slope_ns * requests; }
  // Tokens per second of steps with this number of requests.
  double TokensPerSecond(double requests) const { return requests / At(requests) * 1e9; }
};

struct Batches {
  // Least squares needs decode steps of at least 3 sizes, and 20 of them.
  std::optional<DecodeCost> cost;
  // What mixed steps are compared with: `cost`, or that of decode steps of the same sizes. It says
  // nothing of larger ones.
  std::optional<DecodeCost> alone;
  // Means of decode steps over time.
  std::optional<double> decode_requests;
  // Share of generation requests' time that is lost to prefills; unknown without `alone`, or if the
  // mixed steps have more requests than any decode step.
  std::optional<double> lost_to_prefill;
  std::int64_t mixed = 0;
  std::int64_t decodes = 0;
  bool is_mixed_larger = false;  // the largest mixed step has over 1.25 times any decode step's
};

Batches BatchesOf(const std::vector<Iteration>& iterations);

}  // namespace rankscope::serving
