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
// moves by 20 ns. The lowest rank of what collectives link is the reference. A drift is taken as
// none when it is not significant (4 standard errors, more of few collectives), when what it makes
// over the recording is less than single ends scatter, or above 200 ppm (quartz is good to 100).
// What a rank's clock says of itself is not asked.
//
// Uncertainty: 2 * 1.4826 * the median distance of a rank's differences from its line (95 % of a
// normal distribution), of the process group where it is largest, with the reference's added in
// squares: how far a single end may be off, so it does not shrink with the number of collectives,
// which may all be off alike. It is never less than kEndsFloorNs.
//
// Ranks that no collective links may send to each other: a receive ends behind its send's begin.
// Where messages go both ways, that bounds the difference of the two clocks from both sides; the
// middle is taken, and half of the distance is uncertainty. Kernels of a send and its receive end
// together, but for the last hop: where their ends tell less uncertainty than the bounds do, and
// agree with them, the difference is the mean of what they tell in both directions, and open is
// half of what these differ, and three times the scatter. A drift between the two is assumed only
// where no constant difference keeps all bounds. Bounds from one side link nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// What ends of collectives cannot show: a rank that is always the last to be served, at the end of
// a ring or a tree, ends always that much later, which looks like a clock that is behind. A hop
// takes 1 us over links inside a host and about 2 us over a network.
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

  // The lowest rank that collectives link it with; kNone: it shares no collective.
  std::uint32_t component = kNone;
  // The rank whose clock counts for this one: the lowest that collectives and sends link it with;
  // kNone: neither do.
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
  // The median end of collectives, by the ranks' own clocks.
  std::int64_t origin_ns() const { return origin_ns_; }
  // A time of the rank's clock in the reference's; itself for a rank that is not aligned.
  std::int64_t Aligned(std::uint32_t rank, std::int64_t t) const;
  // How far an aligned time of one rank may be off against the other's; nullopt where nothing links
  // their clocks.
  std::optional<double> Between(std::uint32_t a, std::uint32_t b) const;
  // Whether their times can be compared over a stretch of time: collectives link them, or sends
  // leave at most kMostOpen of the stretch open.
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
