#include "job/clock_line.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/median.h"
#include "base/saturating.h"
#include "job/clock_difference.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSamples = 96;  // ends that a line is laid through
constexpr double kMostSlope = 200e-6;     // as in clock_fit.cc
constexpr std::size_t kStretch = 32;      // entries that vote together
constexpr std::size_t kFewestVotes = 3;
constexpr double kLeastShareOfVotes = 0.4;
constexpr double kSureShareOfVotes = 0.8;
constexpr double kSlopeError = 20e-6;  // of a line that was laid through a part, beyond it

// Clocks a century apart are damage.
std::int64_t Moved(std::int64_t t, double by) {
  return SaturatingAdd(t, std::llround(std::clamp(by, -4e18, 4e18)));
}

// A difference, and how many are near it.
struct Poll {
  std::size_t votes = 0;
  double difference = 0;

  bool IsBetterThan(const Poll& other) const {
    return votes > other.votes ||
           (votes == other.votes && std::abs(difference) < std::abs(other.difference));
  }
};

// Votes are those in the fullest stretch of kLeastToleranceNs, the difference is that of the
// fullest part of it, and of the fullest part of that.
Poll Count(std::vector<double>& differences) {
  std::sort(differences.begin(), differences.end());
  std::span<const double> part = differences;
  Poll result;
  for (const double width : {1.0, 0.1, 0.01, 0.001}) {
    Poll best;
    std::span<const double> fullest;
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= part.size(); ++end) {
      while (part[end - 1] - part[begin] > width * kLeastToleranceNs) ++begin;
      const Poll poll{end - begin, part[begin + (end - begin) / 2]};
      if (!poll.IsBetterThan(best)) continue;
      best = poll;
      fullest = part.subspan(begin, end - begin);
    }
    result.difference = best.difference;
    result.votes = std::max(result.votes, best.votes);
    part = fullest;
  }
  return result;
}

// Where most votes of a list agree.
struct Winner {
  Poll poll;
  std::size_t begin = 0;  // of the stretch that voted
};
Winner Vote(std::span<const ListEntry> master, std::span<const ListEntry> list,
            const MasterPlaces& places, std::size_t stretch) {
  Winner winner;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const std::size_t begin :
       std::set<std::size_t>{0, (list.size() - stretch) / 2, list.size() - stretch}) {
    std::vector<double> differences;
    for (std::size_t i = begin; i < begin + stretch; ++i) {
      if (!list[i].ends_together) continue;
      ranges.clear();
      places(i, ranges);
      for (const auto& [first, last] : ranges) {
        for (std::size_t m = first; m < last; ++m) {
          if (master[m].kind == list[i].kind)
            differences.push_back(Difference(list[i].end_ns, master[m].end_ns));
        }
      }
    }
    const Poll poll = Count(differences);
    if (poll.IsBetterThan(winner.poll)) winner = {poll, begin};
    if (static_cast<double>(poll.votes) >= kSureShareOfVotes * static_cast<double>(stretch)) break;
  }
  return winner;
}

// Through the ends that lie near the line within `radius` of its origin.
ClockLine LineNear(std::span<const ListEntry> master, std::span<const ListEntry> list,
                   const ClockLine& line, double known, double radius) {
  LineThrough through;
  for (const ListEntry& entry : list) {
    const double since = Difference(entry.end_ns, line.origin) - line.offset;
    if (std::abs(since) > radius) continue;
    const double window = kLeastToleranceNs + kSlopeError * std::max(std::abs(since) - known, 0.0);
    const std::int64_t expected = line.ToMaster(entry.end_ns);
    const auto after =
        std::partition_point(master.begin(), master.end(),
                             [&](const ListEntry& other) { return other.end_ns < expected; });
    const ListEntry* nearest = nullptr;
    const auto first = after - std::min<std::ptrdiff_t>(2, after - master.begin());
    const auto last = after + std::min<std::ptrdiff_t>(2, master.end() - after);
    for (auto other = first; other != last; ++other) {
      if (other->kind != entry.kind || std::abs(line.RestOf(*other, entry)) > window) continue;
      if (nearest == nullptr ||
          std::abs(line.RestOf(*other, entry)) < std::abs(line.RestOf(*nearest, entry)))
        nearest = &*other;
    }
    if (nearest != nullptr) through.Add(*nearest, entry);
  }
  return through.Fit();
}

}  // namespace

double ClockLine::RestOf(const ListEntry& master, const ListEntry& entry) const {
  return Difference(entry.end_ns, master.end_ns) - offset -
         slope * Difference(master.end_ns, origin);
}

std::int64_t ClockLine::ToMaster(std::int64_t t) const {
  return Moved(origin, (Difference(t, origin) - offset) / (1 + slope));
}

std::int64_t ClockLine::ToList(std::int64_t t) const {
  return Moved(t, offset + slope * Difference(t, origin));
}

ClockLine LineThrough::Fit() const {
  ClockLine line;
  if (pairs_.empty()) return line;
  const std::size_t samples = std::min(pairs_.size(), kMostSamples);
  line.ends = samples;
  line.origin = pairs_[pairs_.size() / 2].first->end_ns;
  std::vector<double> x(samples);
  std::vector<double> y(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const auto& [master, entry] = pairs_[i * pairs_.size() / samples];
    x[i] = Difference(master->end_ns, line.origin);
    y[i] = Difference(entry->end_ns, master->end_ns);
  }
  const std::size_t third = samples / 3;
  if (third >= 2) {
    const auto median = [&](const std::vector<double>& of, std::size_t begin) {
      std::vector<double> part(of.begin() + static_cast<std::ptrdiff_t>(begin),
                               of.begin() + static_cast<std::ptrdiff_t>(begin + third));
      return MedianOf(part);
    };
    const double run = median(x, samples - third) - median(x, 0);
    const double rise = median(y, samples - third) - median(y, 0);
    if (run > 0 && std::abs(rise) < kMostSlope * run) line.slope = rise / run;
  }
  std::vector<double> rest(samples);
  for (std::size_t i = 0; i < samples; ++i) rest[i] = y[i] - line.slope * x[i];
  line.offset = MedianOf(rest);
  for (double& value : rest) value = std::abs(value - line.offset);
  line.spread = MedianOf(rest);
  return line;
}

std::optional<ClockLine> VoteForLine(std::span<const ListEntry> master,
                                     std::span<const ListEntry> list, const MasterPlaces& places) {
  const std::size_t stretch = std::min(list.size(), kStretch);
  if (stretch < kFewestVotes) return std::nullopt;
  const auto [poll, begin] = Vote(master, list, places, stretch);
  if (poll.votes < kFewestVotes ||
      static_cast<double>(poll.votes) < kLeastShareOfVotes * static_cast<double>(stretch))
    return std::nullopt;
  const std::int64_t middle = list[begin + stretch / 2].end_ns;
  ClockLine line{.offset = poll.difference,
                 .origin = SaturatingSubtract(middle, std::llround(poll.difference))};
  // From the stretch that voted outwards: each part tells the slope for a wider one.
  double whole = 0;
  for (const ListEntry& entry : list)
    whole = std::max(whole, std::abs(Difference(entry.end_ns, middle)));
  double known = std::max(std::abs(Difference(list[begin].end_ns, middle)),
                          std::abs(Difference(list[begin + stretch - 1].end_ns, middle)));
  for (double radius = std::max(known, kLeastToleranceNs);; radius = std::min(4 * radius, whole)) {
    const std::int64_t origin = line.origin;
    const ClockLine wider = LineNear(master, list, line, known, radius);
    if (wider.ends < kFewestVotes) break;
    line = wider;
    known = radius - std::abs(Difference(line.origin, origin));
    if (radius >= whole) break;
  }
  return line;
}

}  // namespace rankscope
