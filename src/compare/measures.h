// The measurements of one job for a comparison: the length of its steps, and the activity of its
// devices.
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

// The unit of comparison.
enum class DiffUnit : std::uint8_t { kStep, kRecording };
// The replicates of a row; their spread separates change from chance.
enum class SpreadOf : std::uint8_t { kSteps, kRanks, kNothing };

// The place in the program where time was spent, and the kernel.
struct WorkPlace {
  std::string part;
  std::string phase;  // "" means unknown, here and in the members below
  std::string module;
  std::string path;
  std::string shapes;
  std::string name;  // "" for idle time and host time
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
  std::vector<double> values;  // per replicate: mean ns per window
};

struct StepLength {
  std::int64_t group = 0;
  std::optional<std::int64_t> step;
  std::int64_t duration_ns = 0;
};

// The activity of a rank's devices in the counted windows.
struct RankParts {
  std::int64_t windows = 0;
  std::map<std::string, std::int64_t> total_ns;  // by part
};

struct Measures {
  std::vector<StepLength> units;  // counted steps, or recordings
  std::int64_t windows = 0;       // device windows in them
  std::int64_t host_windows = 0;  // rank windows in them
  std::vector<PlaceSum> work;     // work of devices, by place
  std::vector<PlaceSum> host;     // work of host threads
  std::vector<double> outside;    // per replicate: the unit minus its mean window
  std::size_t replicates = 0;
  std::set<std::int64_t> ranks;
  std::map<std::int64_t, RankParts> parts_of_rank;
  std::set<std::string> devices;   // names
  std::set<std::string> contents;  // of the recordings
};

std::size_t CompleteSteps(const JobTables& tables);

Measures MeasuresOf(const JobTables& tables, DiffUnit unit, SpreadOf spread);

// sum / n, rounded to the nearest integer, halves away from 0; 0 if n is 0.
std::int64_t RoundedMean(std::int64_t sum, std::int64_t n);

// Rounded means of parts that sum exactly to the mean of their sum: each part is the increase of
// the rounded running mean.
class ExactMeans {
 public:
  explicit ExactMeans(std::int64_t n) : n_(n) {}
  std::int64_t Next(std::int64_t sum);
  // The sum of all parts so far.
  std::int64_t told() const { return told_; }

 private:
  std::int64_t n_;
  std::int64_t sum_ = 0;
  std::int64_t told_ = 0;
};

}  // namespace rankscope
