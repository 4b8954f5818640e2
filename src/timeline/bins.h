// Bins: how a rank's devices spend their time, over equal intervals.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "timeline/rank_timeline.h"

namespace rankscope {

// The stored and transmitted format: shares in 255ths of the bin's length times the devices.
// Anything that is present has at least 1; only the whole has 255.
struct TimelineBin {
  std::uint8_t compute = 0;
  std::uint8_t transfer = 0;
  std::uint8_t wait = 0;
  std::uint8_t communication_unknown = 0;
  std::uint8_t copy = 0;
  std::uint8_t idle_host = 0;
  // Low half: flags. High half: the largest part of the rest: 0 nothing was recorded, 1
  // idle_device, 2 idle_unknown, 3 not_observed.
  std::uint8_t rest = 0;
  friend bool operator==(const TimelineBin&, const TimelineBin&) = default;
};
static_assert(sizeof(TimelineBin) == 7);

// Sums for one rank in exact nanoseconds, before they are rounded to shares. Bin i is [begin_ns + i
// * length, begin_ns + (i + 1) * length). Time before the first bin is not counted; bins are
// created on demand, up to `most_bins`.
class BinSums {
 public:
  BinSums(std::int64_t begin_ns, int shift, std::size_t most_bins)
      : begin_ns_(begin_ns), shift_(shift), most_bins_(most_bins) {}

  // Adds `part` over [start, start + duration) for one device.
  void AddPart(TimelinePart part, std::int64_t start_ns, std::int64_t duration_ns);
  void AddFlags(std::uint8_t flags, std::int64_t at_ns);
  // Adds sums over the same bins.
  void Add(const BinSums& other);
  // Halves the resolution: merges two bins into one.
  void Halve();
  // Shares for `devices` devices.
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

// Adds the parts of a track of parts, and the flags of other tracks.
void AddTrack(BinSums& sums, const TimelineTrack& track);
void AddSpan(BinSums& sums, const TimelineSpan& span);

}  // namespace rankscope
