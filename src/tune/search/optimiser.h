// Optimiser: finds the best settings within a few dozen runs, through an ask-and-tell interface.
//
//   Optimiser search(space, options);
//   while (const auto next = search.Suggest()) search.Tell(Run(*next));
//   const auto choice = search.Choose();
//
// A budget of 30 trials: the defaults three times (to measure how equal runs differ), 5 to 8 points
// that fill the space, a search by acquisition.h, and in the last third whole rounds of the three
// best points and the defaults on equal schedules, from which finals.h chooses.
//
// Its only state is the trials; each suggestion is a function of them and of the seed. A search
// that gets the trials of a journal (journal.h) continues as if it had never stopped. It uses no
// clock, no process and no server.
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

// A suggestion by the diagnosis: if there are hints, only hinted parameters are searched.
struct Hint {
  std::string parameter;
  int direction = 0;  // +1: above the default, -1: below, 0: unknown

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
  // kInvalidArgument: too few or too many trials, a limit that is not above 0, a hint for an
  // unknown parameter.
  static Result<Optimiser> Make(Space space, OptimiserOptions options);

  // nullopt: all trials are done, or nothing is left to compare. The same result until Tell. Takes
  // up to 50 ms.
  std::optional<Suggestion> Suggest() const;
  // The result for what Suggest gave. kInvalidArgument for a measurement without the metrics of all
  // limits, or with an objective that is negative or not finite.
  Status Tell(Measurement measured);
  // A trial from a journal. kInvalidArgument if this search would not have asked for it. Where the
  // search chose points freely, the journal is trusted.
  Status Tell(const Trial& trial);

  const std::vector<Trial>& trials() const { return trials_; }
  const Space& space() const { return space_; }
  const OptimiserOptions& options() const { return options_; }
  // Can be called at any time; before the finals it uses what is known so far.
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
  mutable std::optional<Suggestion> asked_;  // the result of Suggest, until Tell
};

}  // namespace rankscope::tune
