// Optimiser: the best settings within a few dozen runs, by asking and being told.
//
//   Optimiser search(space, options);
//   while (const auto next = search.Suggest()) search.Tell(Run(*next));
//   const auto choice = search.Choose();
//
// Of 30 trials: the defaults three times (what equal runs differ by), 5 to 8 points that fill the
// space, a search by acquisition.h, and as the last third whole rounds of the best three and the
// defaults on equal schedules, by which finals.h chooses.
//
// Nothing is kept but the trials, and each suggestion is a function of them and of the seed: a
// search that is told the trials of a journal (journal.h) goes on as if it had not ended. It knows
// no clock, no process and no server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "tune/search/acquisition.h"
#include "tune/search/finals.h"
#include "tune/search/space.h"
#include "tune/search/trial.h"

namespace rankscope::tune {

// What a diagnosis says is worth trying: only hinted parameters are searched where there are hints.
struct Hint {
  std::string parameter;
  int direction = 0;  // +1: more than the default, -1: less, 0: not known

  friend bool operator==(const Hint&, const Hint&) = default;
};

struct OptimiserOptions {
  static constexpr int kLeastTrials = 12;
  static constexpr int kMostTrials = 200;

  int trials = 30;
  std::uint64_t seed = 1;
  std::vector<Limit> limits = {};
  std::vector<Hint> hints = {};

  friend bool operator==(const OptimiserOptions&, const OptimiserOptions&) = default;
};

class Optimiser {
 public:
  // kInvalidArgument: too few or too many trials, a limit that is not above 0, a hint of a
  // parameter that there is not.
  static Result<Optimiser> Make(Space space, OptimiserOptions options);

  // nullopt: all trials are done, or there is nothing that could be compared. The same until Tell.
  // Up to 50 ms.
  std::optional<Suggestion> Suggest() const;
  // Of what Suggest gives. kInvalidArgument for a measurement without all limits' metrics, or an
  // objective that is no number from 0 on.
  Status Tell(Measurement measured);
  // From a journal. kInvalidArgument where this search would not have asked for that; where the
  // search itself was free to go, the journal is believed.
  Status Tell(const Trial& trial);

  const std::vector<Trial>& trials() const { return trials_; }
  const Space& space() const { return space_; }
  const OptimiserOptions& options() const { return options_; }
  // At any time; before the finals by what was found until then.
  std::optional<Choice> Choose() const;

 private:
  Optimiser(Space space, OptimiserOptions options);
  int Done() const { return static_cast<int>(trials_.size()); }
  int DesignTrials() const;
  int FinalsBegin() const;
  bool IsOfSpace(const Point& point) const;
  Suggestion SearchPoint() const;
  std::optional<Suggestion> FinalPoint() const;
  Point DesignPoint(int number) const;
  std::vector<Point> FinalistsOf(std::size_t trials) const;

  Space space_;
  OptimiserOptions options_;
  Box box_;
  std::vector<Trial> trials_;
  mutable std::optional<Suggestion> asked_;  // what Suggest has found, until Tell
};

}  // namespace rankscope::tune
