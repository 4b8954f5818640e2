#include "analysis/across/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope {
namespace {

constexpr int kMostRounds = 40;
constexpr double kStillNs = 20;
constexpr double kSigmaOfMad = 1.4826;  // of a normal distribution
constexpr double kHuber = 1.345;        // 95 % efficient for a normal distribution
constexpr double kSignificant = 4;      // standard errors of a drift
constexpr std::size_t kFewest = 16;     // differences for a line
constexpr double kMostDrift = 200e-6;   // quartz is good to 100 ppm: more is scatter

double MedianOf(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double MadOf(const std::vector<double>& values) {
  std::vector<double> copy = values;
  const double median = MedianOf(copy);
  for (double& value : copy) value = std::abs(value - median);
  return MedianOf(copy);
}

struct Line {
  double offset = 0;
  double slope = 0;
};

// A robust line through (x, y); level where the slope is not significant.
Line FitLine(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> rest = y;
  const Line level{MedianOf(rest), 0};
  if (x.size() < kFewest) return level;
  Line line = level;
  double slope_error = 0;
  for (int round = 0; round < 12; ++round) {
    for (std::size_t i = 0; i < x.size(); ++i) rest[i] = y[i] - line.offset - line.slope * x[i];
    const double sigma = std::max(kSigmaOfMad * MadOf(rest), 1.0);
    double w = 0;
    double wx = 0;
    double wy = 0;
    std::vector<double> weight(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double size = std::abs(rest[i]) / sigma;
      weight[i] = size <= kHuber ? 1 : kHuber / size;
      w += weight[i];
      wx += weight[i] * x[i];
      wy += weight[i] * y[i];
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
    slope_error = sigma / std::sqrt(xx);
    if (round > 2 && moved < 1) break;
  }
  const double drift = std::abs(line.slope);
  return drift > kSignificant * slope_error && drift < kMostDrift ? line : level;
}

class Fitter {
 public:
  Fitter(std::span<const ClockSample> samples, std::uint32_t rank_count, std::int64_t origin)
      : samples_(samples),
        origin_(origin),
        lines_(rank_count),
        known_(rank_count),
        by_rank_(rank_count) {
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
    for (std::uint32_t rank = 0; rank < lines_.size(); ++rank) {
      if (known_[rank] != 0 || by_rank_[rank].empty()) continue;
      const std::vector<std::uint32_t> members = Reach(rank);
      Refine(members);
      const Line reference = lines_[rank];
      for (const std::uint32_t member : members) {
        lines_[member].offset -= reference.offset;
        lines_[member].slope -= reference.slope;
        clocks[member].component = rank;
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

  double X(std::int64_t t) const { return static_cast<double>(t - origin_); }
  // A sample's end by what is known of its clock, from the origin.
  double AlignedEnd(const ClockSample& sample) const {
    const double x = X(sample.end_ns);
    const Line& line = lines_[sample.rank];
    return x - line.offset - line.slope * x;
  }

  // The ranks that collectives link with `reference`, each with a line to begin with.
  std::vector<std::uint32_t> Reach(std::uint32_t reference) {
    std::vector<std::uint32_t> reached = {reference};
    known_[reference] = 1;
    std::vector<std::uint32_t> waiting;
    // A rank's differences come from all collectives that it shares with ranks known by then; ranks
    // that become known together do not count for each other.
    for (std::size_t done = 0; done < reached.size();) {
      waiting.clear();
      for (; done < reached.size(); ++done) {
        for (const Place& place : by_rank_[reached[done]]) {
          for (std::size_t i = first_[place.collective]; i < first_[place.collective + 1]; ++i) {
            std::uint8_t& known = known_[samples_[i].rank];
            if (known != 0) continue;
            known = 2;  // soon
            waiting.push_back(samples_[i].rank);
          }
        }
      }
      for (const std::uint32_t rank : waiting) lines_[rank] = LineToKnown(rank);
      for (const std::uint32_t rank : waiting) known_[rank] = 1;
      reached.insert(reached.end(), waiting.begin(), waiting.end());
    }
    return reached;
  }

  Line LineToKnown(std::uint32_t rank) {
    times_.clear();
    differences_.clear();
    for (const Place& place : by_rank_[rank]) {
      ends_.clear();
      for (std::size_t i = first_[place.collective]; i < first_[place.collective + 1]; ++i) {
        if (known_[samples_[i].rank] == 1) ends_.push_back(AlignedEnd(samples_[i]));
      }
      if (ends_.empty()) continue;
      const double x = X(samples_[place.sample].end_ns);
      times_.push_back(x);
      differences_.push_back(x - MedianOf(ends_));
    }
    return FitLine(times_, differences_);
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

  void Describe(const std::vector<std::uint32_t>& members, std::vector<RankClock>& clocks) {
    for (const std::uint32_t member : members) {
      Differences(member);
      for (std::size_t i = 0; i < times_.size(); ++i)
        differences_[i] -= lines_[member].offset + lines_[member].slope * times_[i];
      RankClock& clock = clocks[member];
      clock.offset_ns = lines_[member].offset;
      clock.drift = lines_[member].slope;
      clock.uncertainty_ns = 2 * kSigmaOfMad * MadOf(differences_);
      clock.collectives = static_cast<std::int64_t>(times_.size());
    }
    const double of_reference = clocks[members.front()].uncertainty_ns;
    for (const std::uint32_t member : members) {
      if (member != members.front())
        clocks[member].uncertainty_ns = std::hypot(clocks[member].uncertainty_ns, of_reference);
    }
  }

  std::span<const ClockSample> samples_;
  std::int64_t origin_;
  std::vector<Line> lines_;
  std::vector<std::uint8_t> known_;
  std::vector<std::size_t> first_;  // sample of each collective, and the end
  std::vector<std::vector<Place>> by_rank_;
  std::vector<double> consensus_;
  std::vector<double> ends_, times_, differences_;
};

}  // namespace

ClockFit::ClockFit(std::span<const ClockSample> samples, std::uint32_t rank_count) {
  if (!samples.empty()) {
    // In the middle of what is known, where lines are surest.
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;
    for (const ClockSample& sample : samples) {
      first = std::min(first, sample.end_ns);
      last = std::max(last, sample.end_ns);
    }
    origin_ns_ = std::midpoint(first, last);
  }
  clocks_ = Fitter(samples, rank_count, origin_ns_).Fit();
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
      const auto early =
          static_cast<double>(last_start - Aligned(samples[i].rank, samples[i].end_ns));
      if (end - begin < 2 || early <= clock.uncertainty_ns + clocks_[last.rank].uncertainty_ns)
        continue;
      ++clock.violations;
      clock.worst_violation_ns =
          std::max(clock.worst_violation_ns, static_cast<std::int64_t>(early));
    }
    begin = end;
  }
}

std::int64_t ClockFit::Aligned(std::uint32_t rank, std::int64_t t) const {
  const RankClock& clock = clocks_[rank];
  const double shift = clock.offset_ns + clock.drift * static_cast<double>(t - origin_ns_);
  return t - std::llround(shift);
}

}  // namespace rankscope
