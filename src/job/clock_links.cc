#include "job/clock_links.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/median.h"
#include "base/saturating.h"
#include "job/clock_difference.h"

namespace rankscope {
namespace {

struct Bounds {
  std::vector<ClockBound> lower, upper;
  // End of the later clock's kernel less that of the earlier one's, by the direction of the
  // message.
  std::vector<double> ends_forth, ends_back;
};

// Of the clocks of two components, the later less the earlier.
struct Link {
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  BoundedLine line;
};

// The highest lower bound and the lowest upper one under a slope.
std::pair<double, double> Gap(std::span<const ClockBound> lower, std::span<const ClockBound> upper,
                              double slope) {
  double low = -INFINITY;
  double high = INFINITY;
  for (const ClockBound& bound : lower)
    low = std::max(low, bound.difference_ns - slope * bound.at_ns);
  for (const ClockBound& bound : upper)
    high = std::min(high, bound.difference_ns - slope * bound.at_ns);
  return {low, high};
}

double MedianDistance(const std::vector<double>& values, double from) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - from));
  return MedianOf(distances);
}

// What ends of sends and their receives say; `bounded` where that leaves no more open, or ends say
// what the bounds exclude.
BoundedLine ByEnds(const Bounds& of, const BoundedLine& bounded) {
  constexpr std::size_t kEnough = 3;
  if (bounded.slope != 0 || of.ends_forth.size() < kEnough || of.ends_back.size() < kEnough)
    return bounded;
  std::vector<double> forth = of.ends_forth, back = of.ends_back;
  const double of_forth = MedianOf(forth), of_back = MedianOf(back);
  const double scatter = std::max(MedianDistance(forth, of_forth), MedianDistance(back, of_back));
  const BoundedLine line{(of_forth + of_back) / 2, 0,
                         std::abs(of_forth - of_back) / 2 + 3 * scatter};
  const bool agrees = std::abs(line.offset - bounded.offset) <= bounded.half_width;
  return agrees && line.half_width < bounded.half_width ? line : bounded;
}

// The same difference seen from the other clock: times of `line` are of the later one.
BoundedLine Reversed(const BoundedLine& line) {
  const ClockDifference back = Reversed(ClockDifference{line.offset, line.slope});
  return {back.offset, back.slope, line.half_width};
}

// From a clock by `line` to another one, from that by `further`.
BoundedLine Joined(const BoundedLine& line, const BoundedLine& further) {
  const auto [offset, slope] = Joined(ClockDifference{line.offset, line.slope},
                                      ClockDifference{further.offset, further.slope});
  return {offset, slope, line.half_width + further.half_width};
}

// Ranks that collectives link have one number, every other rank its own.
std::uint32_t ComponentOf(const std::vector<RankClock>& clocks, std::uint32_t rank) {
  return clocks[rank].component == RankClock::kNone ? rank : clocks[rank].component;
}

// Those whose bounds leave least open first.
std::vector<Link> LinksOf(std::span<const ClockMessage> messages, std::int64_t origin,
                          const std::vector<RankClock>& clocks) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bounds> bounds;
  for (const ClockMessage& message : messages) {
    const std::uint32_t from = ComponentOf(clocks, message.sender);
    const std::uint32_t to = ComponentOf(clocks, message.receiver);
    if (from == to) continue;
    const auto since = [&](std::int64_t t) {
      return static_cast<double>(SaturatingSubtract(t, origin));
    };
    const double sent = since(ByClock(clocks[message.sender], origin, message.send_start_ns));
    const double received =
        since(ByClock(clocks[message.receiver], origin, message.receive_end_ns));
    const double send_end = since(ByClock(clocks[message.sender], origin, message.send_end_ns));
    Bounds& of = bounds[std::minmax(from, to)];
    if (from < to) {
      of.upper.push_back({received, received - sent});
      of.ends_forth.push_back(received - send_end);
    } else {
      of.lower.push_back({sent, sent - received});
      of.ends_back.push_back(send_end - received);
    }
  }
  std::vector<Link> links;
  for (const auto& [pair, of] : bounds) {
    if (of.lower.empty() || of.upper.empty()) continue;
    const BoundedLine line = ByEnds(of, LineBetween(of.lower, of.upper));
    if (line.half_width >= 0) links.push_back({pair.first, pair.second, line});
  }
  std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return a.line.half_width < b.line.half_width;
  });
  return links;
}

}  // namespace

std::int64_t ByClock(const RankClock& clock, std::int64_t origin, std::int64_t t) {
  const double since = static_cast<double>(t) - static_cast<double>(origin);
  const double shift = clock.offset_ns + clock.drift * since;
  // Clocks a century apart are damage.
  constexpr double kMost = 4e18;
  return SaturatingSubtract(t, std::llround(std::clamp(shift, -kMost, kMost)));
}

BoundedLine LineBetween(std::span<const ClockBound> lower, std::span<const ClockBound> upper) {
  double slope = 0;
  const auto width = [&](double at) {
    const auto [low, high] = Gap(lower, upper, at);
    return high - low;
  };
  if (width(0) < 0) {
    // The width is a concave function of the slope.
    double low = -kMostDrift;
    double high = kMostDrift;
    for (int round = 0; round < 60; ++round) {
      const double left = low + (high - low) / 3;
      const double right = high - (high - low) / 3;
      if (width(left) < width(right)) {
        low = left;
      } else {
        high = right;
      }
    }
    slope = (low + high) / 2;
  }
  const auto [low, high] = Gap(lower, upper, slope);
  return {low + (high - low) / 2, slope, (high - low) / 2};
}

void LinkBySends(std::span<const ClockMessage> messages, std::int64_t origin,
                 std::vector<RankClock>& clocks) {
  const std::vector<Link> links = LinksOf(messages, origin, clocks);
  if (links.empty()) return;
  // Each component's line to the frame that it belongs to, which is named after its lowest one.
  std::vector<std::uint32_t> frame(clocks.size());
  std::iota(frame.begin(), frame.end(), 0U);
  std::vector<BoundedLine> to_frame(clocks.size());
  std::vector<std::vector<std::uint32_t>> in_frame(clocks.size());
  for (std::uint32_t i = 0; i < clocks.size(); ++i) in_frame[i].push_back(i);
  for (const Link& link : links) {
    // Times of the frame that ends go to the later one, over the link and on to the frame that
    // stays.
    std::uint32_t gone = link.later;
    std::uint32_t stays = link.earlier;
    BoundedLine line = link.line;
    if (frame[gone] == frame[stays]) continue;
    if (frame[gone] < frame[stays]) {
      std::swap(gone, stays);
      line = Reversed(line);
    }
    const BoundedLine move = Joined(Joined(Reversed(to_frame[gone]), line), to_frame[stays]);
    const double halves = link.line.half_width + to_frame[stays].half_width;
    const std::uint32_t from = frame[gone];
    const std::uint32_t to = frame[stays];
    const double beyond = to_frame[gone].half_width;
    for (const std::uint32_t component : in_frame[from]) {
      BoundedLine joined = Joined(to_frame[component], move);
      // The one that the link goes to needs no way through its old frame.
      joined.half_width =
          component == gone ? halves : to_frame[component].half_width + beyond + halves;
      to_frame[component] = joined;
      frame[component] = to;
      in_frame[to].push_back(component);
    }
    in_frame[from].clear();
  }
  for (std::uint32_t rank = 0; rank < clocks.size(); ++rank) {
    const std::uint32_t component = ComponentOf(clocks, rank);
    RankClock& clock = clocks[rank];
    const bool is_alone = frame[component] == component && in_frame[component].size() == 1;
    if (is_alone) continue;
    const BoundedLine whole = Joined({clock.offset_ns, clock.drift, 0}, to_frame[component]);
    clock.reference = frame[component];
    clock.offset_ns = whole.offset;
    clock.drift = whole.slope;
    clock.is_drift_known |= to_frame[component].slope != 0;
    clock.link_ns = to_frame[component].half_width;
    clock.uncertainty_ns = std::max(clock.uncertainty_ns, kEndsFloorNs) + clock.link_ns;
  }
}

}  // namespace rankscope
