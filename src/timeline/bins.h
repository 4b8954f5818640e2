// Bins: where the time of a rank's devices goes, over equal stretches of time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "timeline/rank_timeline.h"

namespace rankscope {

// As it is stored and sent: shares in 255ths of the bin's length times the devices, at least 1 of
// what there is at all, 255 only of the whole.
struct TimelineBin {
  std::uint8_t compute = 0;
  std::uint8_t transfer = 0;
  std::uint8_t wait = 0;
  std::uint8_t communication_unknown = 0;
  std::uint8_t copy = 0;
  std::uint8_t idle_host = 0;
  // Low half: flags. High half: what most of the rest is: 0 nothing was recorded, 1 idle_device,
  // 2 idle_unknown, 3 not_observed.
  std::uint8_t rest = 0;
  friend bool operator==(const TimelineBin&, const TimelineBin&) = default;
};
static_assert(sizeof(TimelineBin) == 7);

// Sums of one rank in exact nanoseconds, before they are rounded to shares. Bin i is [begin_ns +
// i * length, begin_ns + (i + 1) * length); what lies before the first is not counted, and bins
// come as they are needed, up to `most_bins`.
class BinSums {
 public:
  BinSums(std::int64_t begin_ns, int shift, std::size_t most_bins)
      : begin_ns_(begin_ns), shift_(shift), most_bins_(most_bins) {}

  // `part` over [start, start + duration) of one device.
  void AddPart(TimelinePart part, std::int64_t start_ns, std::int64_t duration_ns);
  void AddFlags(std::uint8_t flags, std::int64_t at_ns);
  // Of the same bins.
  void Add(const BinSums& other);
  // Two bins become one.
  void Halve();
  // Of so many devices.
  std::vector<TimelineBin> Shares(std::int64_t devices) const;
  std::size_t size() const { return bins_.size(); }

 private:
  struct Bin {
    std::array<std::int64_t, kTimelinePartCount> part_ns{};
    std::uint8_t flags = 0;
  };
  static void Join(Bin& bin, const Bin& other);
  Bin* At(std::int64_t bin);

  std::int64_t begin_ns_;
  int shift_;  // the length is 2^shift nanoseconds
  std::size_t most_bins_;
  std::vector<Bin> bins_;
};

// Adds the tracks of parts, and the flags of the others.
void AddTrack(BinSums& sums, const TimelineTrack& track);
void AddSpan(BinSums& sums, const TimelineSpan& span);

}  // namespace rankscope
