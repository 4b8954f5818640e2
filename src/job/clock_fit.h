// One clock for all ranks, from when their collectives end.
//
// A collective in which every member needs data of every other ends on all of them together, but
// for the last hop, so that its ends tell how the members' clocks differ:
//
//   end of rank r in the rank's own time = common end + offset_r + drift_r (t - origin) + noise
//
// Method: ranks begin as clusters of their own and are joined, those first of which collectives
// tell most, by robust lines (Huber weights) through the differences of their ends. Then rounds of
// such lines through each rank's differences to the median end of every collective, until nothing
// moves by 20 ns. The lowest rank of what collectives link is the reference. A drift that is not
// significant (4 standard errors, more of few collectives) or above 200 ppm (quartz is good to 100)
// is taken as none. What a rank's clock says of itself is not asked.
//
// Uncertainty: 2 * 1.4826 * the median distance of a rank's differences from its line (95 % of a
// normal distribution), of the process group where it is largest, with the reference's added in
// squares: how far a single end may be off, so it does not shrink with the number of collectives,
// which may all be off alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// A member's part in a collective whose members end together, in its own time.
struct ClockSample {
  std::uint32_t collective = 0;
  std::uint32_t group = 0;  // its process group
  std::uint32_t rank = 0;   // dense number
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

struct RankClock {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t component = kNone;  // number of its reference; kNone: shares no collective
  double offset_ns = 0;             // its clock less the reference's, at the origin
  double drift = 0;                 // ns per ns
  double uncertainty_ns = 0;
  std::int64_t collectives = 0;  // that its line goes through
  // Collectives of the rank that end, by these clocks, before their last member begins, by more
  // than both uncertainties; and the worst of them.
  std::int64_t violations = 0;
  std::int64_t worst_violation_ns = 0;

  bool is_aligned() const { return component != kNone; }
};

class ClockFit {
 public:
  // Samples are ordered by collective, a rank at most once in each. O(samples * rounds).
  ClockFit(std::span<const ClockSample> samples, std::uint32_t rank_count);
  ClockFit() = default;

  const std::vector<RankClock>& clocks() const { return clocks_; }
  std::int64_t origin_ns() const { return origin_ns_; }
  // A time of the rank's clock in the reference's; itself for a rank that is not aligned.
  std::int64_t Aligned(std::uint32_t rank, std::int64_t t) const;

 private:
  std::vector<RankClock> clocks_;
  std::int64_t origin_ns_ = 0;
};

}  // namespace rankscope
