// AcrossFacts: facts about the ranks of a job together, computed once for all analyses across
// ranks: one clock, matched collectives, who waited for whom.
#pragma once

#include <memory>
#include <vector>

#include "base/saturating.h"
#include "job/clock_fit.h"
#include "job/job_collectives.h"
#include "job/job_layout.h"
#include "stage/analysis.h"

namespace rankscope {

// Times of a collective, in aligned time.
struct CollectiveTimes {
  std::int64_t first_start_ns = 0;  // of its members
  std::int64_t last_start_ns = 0;
  std::int64_t last_end_ns = 0;
  std::uint32_t last_member = 0;  // event that began last
  // Time saved if the last member had arrived together with the one before it.
  std::int64_t lead_ns = 0;
  // Another member came so shortly before that the clocks do not show which was last.
  bool is_tie = false;
  // False if a member's clock is unknown, or if there is only one member: then the values above are
  // valid only for one rank alone.
  bool is_known = false;

  // The transfer, from the last arrival on; 0 if it ended before (damaged times).
  std::int64_t transfer_ns() const {
    return last_end_ns > last_start_ns ? SaturatingSubtract(last_end_ns, last_start_ns) : 0;
  }
  bool HasLast() const { return is_known && !is_tie; }
  std::int64_t skew_ns() const { return SaturatingSubtract(last_start_ns, first_start_ns); }
};

// A stretch of a rank's communication that is not hidden by computing.
struct Exposed {
  std::uint32_t rank = 0;
  std::int64_t begin_ns = 0;  // of the rank's clock
  std::int64_t end_ns = 0;
  std::int64_t step = CollectiveEvent::kNoStep;
};

class AcrossFacts {
 public:
  static constexpr std::int64_t kUnknownWait = -1;

  // From the partials of CollectiveMembersAnalysis. If some ranks have recorded devices, ranks with
  // only a recorded host and no exchange are left out: nothing links their clocks or waits to the
  // others. Memory: 100 bytes per event and 32 per stretch.
  static Result<std::shared_ptr<const AcrossFacts>> Build(PartialStream& partials,
                                                          const JobContext& job);

  const JobCollectives& collectives() const { return collectives_; }
  const ClockFit& clocks() const { return clocks_; }
  const CollectiveTimes& TimesOf(std::size_t collective) const { return times_[collective]; }
  // The part of an event's duration before the last member of its collective, or the other side of
  // its message, arrived; kUnknownWait if unknown.
  std::int64_t WaitOf(std::uint32_t event) const { return waits_[event]; }
  // Per rank in time order.
  const std::vector<Exposed>& exposed() const { return exposed_; }
  const JobLayout& layout() const { return layout_; }
  // Converts a time of a rank's clock, since the epoch, to the job's clock.
  std::int64_t Aligned(std::uint32_t rank, std::int64_t t) const {
    return clocks_.Aligned(rank, t);
  }

 private:
  void FindWaits();
  void FindWaitsOfMessages();

  JobCollectives collectives_;
  ClockFit clocks_;
  std::vector<CollectiveTimes> times_;
  std::vector<std::int64_t> waits_;
  std::vector<Exposed> exposed_;
  JobLayout layout_;
};

}  // namespace rankscope
