// One clock for all ranks, from the ends of their collectives.
//
// A collective in which every member needs data from all others ends on all of them together,
// except for the last hop. So its ends show the differences of the members' clocks:
//
//   end of rank r in the rank's own time = common end + offset_r + drift_r (t - origin) + noise
//
// Method: ranks begin as separate clusters. Clusters are joined, those with the most data first, by
// robust lines (Huber weights) through the differences of their ends. Then such lines are fitted
// repeatedly to each rank's differences from the median end of every collective, until nothing
// moves by 20 ns. The lowest rank linked by collectives is the reference. A drift is ignored if it
// is not significant (4 standard errors, more with few collectives), if its effect over the
// recording is less than the scatter of single ends, or if it is above 200 ppm (quartz is accurate
// to 100). Clock statistics stated by a rank itself are not used.
//
// Uncertainty: 2 * 1.4826 * the median distance of a rank's differences from its line (95 % of a
// normal distribution), for the process group where it is largest, with the reference's added in
// squares. It is the possible error of a single end, so it does not shrink with the number of
// collectives, which may all have the same error. It is never less than kEndsFloorNs.
//
// Ranks that no collective links may exchange messages: a receive ends after its send's begin.
// Messages both ways bound the difference of the two clocks from both sides; the middle is used,
// and half of the distance is uncertainty. Kernels of a send and its receive end together, except
// for the last hop. If their ends give less uncertainty than the bounds, and agree with them, the
// difference is the mean of their values in both directions, and the uncertainty is half of the
// difference of these values plus three times the scatter. A drift between the two is assumed only
// if no constant difference satisfies all bounds. Bounds from one side link nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// The limit of this method: a rank that is always served last, at the end of a ring or a tree,
// always ends that much later, which looks like a clock that is behind. A hop takes 1 us over links
// inside a host and about 2 us over a network.
inline constexpr double kEndsFloorNs = 2000;

// A member's part in a collective whose members end together, in its own time.
struct ClockSample {
  std::uint32_t collective = 0;
  std::uint32_t group = 0;  // its process group
  std::uint32_t rank = 0;   // dense number
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// A message between two ranks, each time by its own clock.
struct ClockMessage {
  std::uint32_t sender = 0;  // dense numbers
  std::uint32_t receiver = 0;
  std::int64_t send_start_ns = 0;
  std::int64_t send_end_ns = 0;
  std::int64_t receive_end_ns = 0;
};

struct RankClock {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // The lowest rank linked to it by collectives; kNone: it shares no collective.
  std::uint32_t component = kNone;
  // The rank of the reference clock: the lowest linked to it by collectives and sends; kNone: none.
  std::uint32_t reference = kNone;
  double offset_ns = 0;  // its clock less the reference's, at the origin
  double drift = 0;      // ns per ns
  // The drift is significant, and over the recording larger than the uncertainty.
  bool is_drift_known = false;
  double uncertainty_ns = 0;     // against the reference
  double scatter_ns = 0;         // part of that: of its own ends
  double link_ns = 0;            // part of that: what sends leave open
  std::int64_t collectives = 0;  // that its line goes through
  // Collectives of the rank that end, by these clocks, before their last member begins, by more
  // than both uncertainties; and the worst of them.
  std::int64_t violations = 0;
  std::int64_t worst_violation_ns = 0;

  bool is_aligned() const { return reference != kNone; }
};

class ClockFit {
 public:
  // Samples are ordered by collective, a rank at most once in each. O(samples * rounds).
  ClockFit(std::span<const ClockSample> samples, std::uint32_t rank_count,
           std::span<const ClockMessage> messages = {});
  ClockFit() = default;

  const std::vector<RankClock>& clocks() const { return clocks_; }
  // The median end of collectives, on the ranks' own clocks.
  std::int64_t origin_ns() const { return origin_ns_; }
  // Converts a time of the rank's clock to the reference's; unchanged for a rank that is not
  // aligned.
  std::int64_t Aligned(std::uint32_t rank, std::int64_t t) const;
  // The uncertainty of an aligned time of one rank against the other's; nullopt if nothing links
  // their clocks.
  std::optional<double> Between(std::uint32_t a, std::uint32_t b) const;
  // Whether their times can be compared over a stretch of time: collectives link them, or sends
  // leave at most kMostOpen of the stretch undetermined.
  bool AreAlignedFor(std::uint32_t a, std::uint32_t b, std::int64_t stretch_ns) const;
  static constexpr double kMostOpen = 0.02;
  bool AreLinkedByCollectives(std::uint32_t a, std::uint32_t b) const {
    return clocks_[a].component != RankClock::kNone && clocks_[a].component == clocks_[b].component;
  }

 private:
  void CountViolations(std::span<const ClockSample> samples);

  std::vector<RankClock> clocks_;
  std::int64_t origin_ns_ = 0;
};

}  // namespace rankscope
