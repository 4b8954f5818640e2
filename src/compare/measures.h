// What one job brings to a comparison: how long its steps are, and what its devices did in them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/compare.h"

namespace rankscope {

// What is compared.
enum class DiffUnit : std::uint8_t { kStep, kRecording };
// What the values of a row are of, whose spread tells change from chance.
enum class SpreadOf : std::uint8_t { kSteps, kRanks, kNothing };

// Where in the program time was spent, and by which kernel.
struct WorkPlace {
  std::string part;
  std::string phase;  // of these "" is unknown
  std::string module;
  std::string path;
  std::string shapes;
  std::string name;  // "" of idle time and of host time
  std::string class_;

  bool is_work() const { return !name.empty(); }
  // The innermost frame of the path.
  std::string op() const;
  friend auto operator<=>(const WorkPlace&, const WorkPlace&) = default;
};

struct PlaceSum {
  WorkPlace place;
  std::int64_t count = 0;
  std::int64_t total_ns = 0;   // over all counted windows
  std::int64_t first_ns = 0;   // earliest begin in a window
  std::vector<double> values;  // of each replicate: ns of a window, the mean
};

struct StepLength {
  std::int64_t group = 0;
  std::optional<std::int64_t> step;
  std::int64_t duration_ns = 0;
};

// What a rank's devices did in the counted windows.
struct RankParts {
  std::int64_t windows = 0;
  std::map<std::string, std::int64_t> total_ns;  // by part
};

struct Measures {
  std::vector<StepLength> units;  // counted steps, or recordings
  std::int64_t windows = 0;       // of devices in them
  std::int64_t host_windows = 0;  // of ranks
  std::vector<PlaceSum> work;     // of devices, by place
  std::vector<PlaceSum> host;     // of host threads
  std::vector<double> outside;    // of each replicate: the unit less its mean window
  std::size_t replicates = 0;
  std::set<std::int64_t> ranks;
  std::map<std::int64_t, RankParts> parts_of_rank;
  std::set<std::string> devices;   // names
  std::set<std::string> contents;  // of the recordings
};

std::size_t CompleteSteps(const JobTables& tables);

Measures MeasuresOf(const JobTables& tables, DiffUnit unit, SpreadOf spread);

// sum / n to the nearest whole number, away from 0 in the middle; 0 when n is 0.
std::int64_t RoundedMean(std::int64_t sum, std::int64_t n);

// Means of parts that add up to the mean of their sum: each is what it adds to the rounded mean of
// all so far.
class ExactMeans {
 public:
  explicit ExactMeans(std::int64_t n) : n_(n) {}
  std::int64_t Next(std::int64_t sum);
  // All so far.
  std::int64_t told() const { return told_; }

 private:
  std::int64_t n_;
  std::int64_t sum_ = 0;
  std::int64_t told_ = 0;
};

}  // namespace rankscope
