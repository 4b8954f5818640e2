#include "job/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/median.h"
#include "base/saturating.h"
#include "job/clock_difference.h"
#include "job/clock_links.h"

namespace rankscope {
namespace {

constexpr int kMostRounds = 40;
constexpr double kStillNs = 20;
constexpr double kSigmaOfMad = 1.4826;  // of a normal distribution
constexpr double kHuber = 1.345;        // 95 % efficient for a normal distribution
constexpr std::size_t kFewest = 4;      // differences for a line

// How many standard errors a slope of so many points must have; of few, their scatter says little
// (near Student's t at 99.9 %, and 4 for many).
double SignificanceOf(std::size_t points) {
  return 4 + 60 / std::pow(static_cast<double>(points - 2), 1.5);
}

double MadOf(const std::vector<double>& values) {
  std::vector<double> copy = values;
  const double median = MedianOf(copy);
  for (double& value : copy) value = std::abs(value - median);
  return MedianOf(copy);
}

// std::hypot of sizes that cannot overflow; that one would need glibc 2.35, and packages
// promise 2.34.
double RootOfSquares(double a, double b) { return std::sqrt(a * a + b * b); }

using Line = ClockDifference;

// A robust line through (x, y); level where the slope is not significant, or makes less of a
// difference than single values scatter.
Line FitLine(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> rest = y;
  const Line level{MedianOf(rest), 0};
  if (x.size() < kFewest) return level;
  Line line = level;
  double slope_error = 0;
  double scatter = 0;
  std::vector<double> weight(x.size());
  for (int round = 0; round < 12; ++round) {
    for (std::size_t i = 0; i < x.size(); ++i) rest[i] = y[i] - line.offset - line.slope * x[i];
    const double sigma = std::max(kSigmaOfMad * MadOf(rest), 1.0);
    double w = 0;
    double wx = 0;
    double wy = 0;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double size = std::abs(rest[i]) / sigma;
      weight[i] = size <= kHuber ? 1 : kHuber / size;
      w += weight[i];
      wx += weight[i] * x[i];
      wy += weight[i] * y[i];
      squares += weight[i] * rest[i] * rest[i];
    }
    double xx = 0;
    double xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xx += weight[i] * (x[i] - wx / w) * (x[i] - wx / w);
      xy += weight[i] * (x[i] - wx / w) * (y[i] - wy / w);
    }
    if (xx <= 0) return level;
    const Line next{wy / w - xy / xx * (wx / w), xy / xx};
    const double moved = std::abs(next.offset - line.offset);
    line = next;
    // Of few values the MAD may be far too small.
    scatter = std::max(sigma, std::sqrt(squares / static_cast<double>(x.size() - 2)));
    slope_error = scatter / std::sqrt(xx);
    if (round > 2 && moved < 1) break;
  }
  const double drift = std::abs(line.slope);
  const auto [first, last] = std::minmax_element(x.begin(), x.end());
  const bool is_seen = drift * (*last - *first) > std::max(kEndsFloorNs, 2 * scatter);
  const bool is_significant = drift > SignificanceOf(x.size()) * slope_error;
  return is_seen && is_significant && drift < kMostDrift ? line : level;
}

class Fitter {
 public:
  Fitter(std::span<const ClockSample> samples, std::uint32_t rank_count, std::int64_t origin)
      : samples_(samples), origin_(origin), lines_(rank_count), by_rank_(rank_count) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i == 0 || samples[i].collective != samples[i - 1].collective) first_.push_back(i);
    }
    first_.push_back(samples.size());
    for (std::size_t c = 0; c + 1 < first_.size(); ++c) {
      if (first_[c + 1] - first_[c] < 2) continue;  // of one member: says nothing
      for (std::size_t i = first_[c]; i < first_[c + 1]; ++i)
        by_rank_[samples[i].rank].push_back({c, i});
    }
  }

  std::vector<RankClock> Fit() {
    std::vector<RankClock> clocks(lines_.size());
    JoinClusters();
    for (std::uint32_t rank = 0; rank < lines_.size(); ++rank) {
      if (cluster_[rank] != rank || by_rank_[rank].empty()) continue;
      std::vector<std::uint32_t> members;
      for (std::uint32_t other = rank; other < lines_.size(); ++other) {
        if (cluster_[other] == rank && !by_rank_[other].empty()) members.push_back(other);
      }
      Refine(members);
      const Line reference = lines_[rank];
      for (const std::uint32_t member : members) {
        lines_[member] = Joined(lines_[member], Reversed(reference));
        clocks[member].component = rank;
        clocks[member].reference = rank;
      }
      Describe(members, clocks);
    }
    return clocks;
  }

 private:
  struct Place {
    std::size_t collective;
    std::size_t sample;
  };

  double X(std::int64_t t) const { return static_cast<double>(SaturatingSubtract(t, origin_)); }
  // A sample's end by what is known of its clock, from the origin.
  double AlignedEnd(const ClockSample& sample) const {
    const double x = X(sample.end_ns);
    const Line& line = lines_[sample.rank];
    return x - line.offset - line.slope * x;
  }

  // Begins with every rank alone, its own clock the frame of its cluster, and joins clusters, those
  // first of which most is known: collectives of a few ranks are many as a rule, and fix their
  // clocks well; those of larger groups then fix the clusters'. A cluster is named after its lowest
  // rank, whose line is level. Each round joins at least one pair, as a rule most clusters.
  void JoinClusters() {
    cluster_.resize(lines_.size());
    std::iota(cluster_.begin(), cluster_.end(), 0U);
    while (true) {
      const std::vector<Link> links = FindLinks();
      if (links.empty()) return;
      // A cluster that others join stays, one that joins takes none: differences hold for this
      // round.
      constexpr std::uint32_t kStays = UINT32_MAX;
      std::vector<std::uint32_t> joins(lines_.size(), kStays);
      std::vector<std::uint8_t> has_received(lines_.size());
      std::vector<Line> move(lines_.size());
      for (const Link& link : links) {
        if (joins[link.to] != kStays || joins[link.from] != kStays || has_received[link.from] != 0)
          continue;
        joins[link.from] = link.to;
        has_received[link.to] = 1;
        move[link.from] = FitLine(link.x, link.y);
      }
      for (std::uint32_t rank = 0; rank < lines_.size(); ++rank) {
        const std::uint32_t from = cluster_[rank];
        if (joins[from] == kStays) continue;
        lines_[rank] = Joined(lines_[rank], move[from]);
        cluster_[rank] = joins[from];
      }
    }
  }

  // What the collectives of two clusters say: ends in `from`'s frame less those in `to`'s.
  struct Link {
    std::uint32_t to = 0;  // the lower
    std::uint32_t from = 0;
    std::vector<double> x, y;
    double strength = 0;  // how well a line through these is known: sum of (x - mean)^2, and 1 each
  };

  // Of each collective, every cluster with the lowest one in it; the strongest first.
  std::vector<Link> FindLinks() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Link> links;
    std::vector<std::pair<std::uint32_t, double>> ends;
    for (std::size_t c = 0; c + 1 < first_.size(); ++c) {
      ends.clear();
      for (std::size_t i = first_[c]; i < first_[c + 1]; ++i)
        ends.emplace_back(cluster_[samples_[i].rank], AlignedEnd(samples_[i]));
      std::sort(ends.begin(), ends.end());
      if (ends.empty() || ends.front().first == ends.back().first) continue;
      double lowest = 0;
      for (std::size_t begin = 0; begin < ends.size();) {
        ends_.clear();
        std::size_t end = begin;
        for (; end < ends.size() && ends[end].first == ends[begin].first; ++end)
          ends_.push_back(ends[end].second);
        const double median = MedianOf(ends_);
        if (begin == 0) {
          lowest = median;
        } else {
          Link& link = links[{ends.front().first, ends[begin].first}];
          link.x.push_back(median);
          link.y.push_back(median - lowest);
        }
        begin = end;
      }
    }
    std::vector<Link> sorted;
    sorted.reserve(links.size());
    for (auto& [pair, link] : links) {
      link.to = pair.first;
      link.from = pair.second;
      const double mean =
          std::accumulate(link.x.begin(), link.x.end(), 0.0) / static_cast<double>(link.x.size());
      for (const double x : link.x) link.strength += (x - mean) * (x - mean) + 1;
      sorted.push_back(std::move(link));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Link& a, const Link& b) { return a.strength > b.strength; });
    return sorted;
  }

  void Refine(const std::vector<std::uint32_t>& members) {
    std::vector<std::size_t> collectives;
    for (const std::uint32_t member : members) {
      for (const Place& place : by_rank_[member]) collectives.push_back(place.collective);
    }
    std::sort(collectives.begin(), collectives.end());
    collectives.erase(std::unique(collectives.begin(), collectives.end()), collectives.end());
    consensus_.resize(first_.size());
    for (int round = 0; round < kMostRounds; ++round) {
      for (const std::size_t c : collectives) {
        ends_.clear();
        for (std::size_t i = first_[c]; i < first_[c + 1]; ++i)
          ends_.push_back(AlignedEnd(samples_[i]));
        consensus_[c] = MedianOf(ends_);
      }
      double moved = 0;
      for (const std::uint32_t member : members) {
        Differences(member);
        const Line line = FitLine(times_, differences_);
        const double span = times_.empty() ? 0 : times_.back() - times_.front();
        moved = std::max({moved, std::abs(line.offset - lines_[member].offset),
                          std::abs(line.slope - lines_[member].slope) * span});
        lines_[member] = line;
      }
      if (moved < kStillNs) return;
    }
  }

  // Of each collective of the rank: its own end less the common one.
  void Differences(std::uint32_t rank) {
    times_.clear();
    differences_.clear();
    for (const Place& place : by_rank_[rank]) {
      const double x = X(samples_[place.sample].end_ns);
      times_.push_back(x);
      differences_.push_back(x - consensus_[place.collective]);
    }
  }

  // Of the rank's differences to its line, by group: the group that fits it worst says how well its
  // clock is known against the ranks that only that group links it with.
  double WorstScatter(std::uint32_t rank) {
    std::map<std::uint32_t, std::vector<double>> of_group;
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const Place& place = by_rank_[rank][i];
      of_group[samples_[place.sample].group].push_back(std::abs(differences_[i]));
    }
    double worst = 0;
    for (auto& [group, sizes] : of_group) worst = std::max(worst, MedianOf(sizes));
    return worst;
  }

  void Describe(const std::vector<std::uint32_t>& members, std::vector<RankClock>& clocks) {
    const std::uint32_t reference = members.front();
    for (const std::uint32_t member : members) {
      Differences(member);
      for (std::size_t i = 0; i < times_.size(); ++i)
        differences_[i] -= lines_[member].offset + lines_[member].slope * times_[i];
      RankClock& clock = clocks[member];
      clock.offset_ns = lines_[member].offset;
      clock.drift = lines_[member].slope;
      clock.scatter_ns = 2 * kSigmaOfMad * WorstScatter(member);
      const double scatter = member == reference
                                 ? clock.scatter_ns
                                 : RootOfSquares(clock.scatter_ns, clocks[reference].scatter_ns);
      clock.uncertainty_ns = std::max(kEndsFloorNs, scatter);
      const auto [first, last] = std::minmax_element(times_.begin(), times_.end());
      clock.is_drift_known = std::abs(clock.drift) * (*last - *first) > clock.uncertainty_ns;
      clock.collectives = static_cast<std::int64_t>(times_.size());
    }
  }

  std::span<const ClockSample> samples_;
  std::int64_t origin_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> cluster_;
  std::vector<std::size_t> first_;  // sample of each collective, and the end
  std::vector<std::vector<Place>> by_rank_;
  std::vector<double> consensus_;
  std::vector<double> ends_, times_, differences_;
};

}  // namespace

ClockFit::ClockFit(std::span<const ClockSample> samples, std::uint32_t rank_count,
                   std::span<const ClockMessage> messages) {
  // In the middle of what is known, where lines are surest, and which no damaged time moves.
  std::vector<std::int64_t> ends;
  ends.reserve(samples.size());
  for (const ClockSample& sample : samples) ends.push_back(sample.end_ns);
  if (ends.empty()) {
    for (const ClockMessage& message : messages) ends.push_back(message.receive_end_ns);
  }
  const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
  std::nth_element(ends.begin(), middle, ends.end());
  if (!ends.empty()) origin_ns_ = *middle;
  clocks_ = Fitter(samples, rank_count, origin_ns_).Fit();
  CountViolations(samples);
  LinkBySends(messages, origin_ns_, clocks_);
}

void ClockFit::CountViolations(std::span<const ClockSample> samples) {
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin;
    std::size_t latest = begin;
    while (end < samples.size() && samples[end].collective == samples[begin].collective) {
      const auto start = [&](std::size_t i) {
        return Aligned(samples[i].rank, samples[i].start_ns);
      };
      if (start(end) > start(latest)) latest = end;
      ++end;
    }
    const ClockSample& last = samples[latest];
    const std::int64_t last_start = Aligned(last.rank, last.start_ns);
    for (std::size_t i = begin; i < end; ++i) {
      RankClock& clock = clocks_[samples[i].rank];
      const std::int64_t early =
          SaturatingSubtract(last_start, Aligned(samples[i].rank, samples[i].end_ns));
      const double unsure_ns = clock.uncertainty_ns + clocks_[last.rank].uncertainty_ns;
      if (end - begin < 2 || static_cast<double>(early) <= unsure_ns) continue;
      ++clock.violations;
      clock.worst_violation_ns = std::max(clock.worst_violation_ns, early);
    }
    begin = end;
  }
}

std::optional<double> ClockFit::Between(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return 0;
  const RankClock& first = clocks_[a];
  const RankClock& second = clocks_[b];
  if (!first.is_aligned() || first.reference != second.reference) return std::nullopt;
  const double ends = std::max(kEndsFloorNs, RootOfSquares(first.scatter_ns, second.scatter_ns));
  return AreLinkedByCollectives(a, b) ? ends : ends + first.link_ns + second.link_ns;
}

bool ClockFit::AreAlignedFor(std::uint32_t a, std::uint32_t b, std::int64_t stretch_ns) const {
  if (a == b || AreLinkedByCollectives(a, b)) return true;
  const std::optional<double> open = Between(a, b);
  return open && *open <= kMostOpen * static_cast<double>(stretch_ns);
}

std::int64_t ClockFit::Aligned(std::uint32_t rank, std::int64_t t) const {
  return ByClock(clocks_[rank], origin_ns_, t);
}

}  // namespace rankscope
