#include "tune/search/optimiser.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tune/search/draw.h"
#include "tune/search/halton.h"

namespace rankscope::tune {
namespace {

constexpr int kBaselines = 3;
constexpr int kLeastDesign = 5, kMostDesign = 8;
constexpr int kFinalShare = 3;  // the last third
// Before the finals, which have schedules that nothing was found by: in turns, so that what a
// schedule does to all settings is told from what a setting does.
constexpr int kSchedules = 3;
// A hint is no proof: a tenth of the range lies open on the other side.
constexpr double kAgainstHint = 0.1;
constexpr int kMostTries = 1000;

std::uint64_t ScheduleOf(int trial) { return static_cast<std::uint64_t>(trial % kSchedules); }

Status CheckOptions(const Space& space, const OptimiserOptions& options) {
  if (options.trials < OptimiserOptions::kLeastTrials ||
      options.trials > OptimiserOptions::kMostTrials) {
    return Error(StatusCode::kInvalidArgument, "a search has {} to {} trials, not {}",
                 OptimiserOptions::kLeastTrials, OptimiserOptions::kMostTrials, options.trials);
  }
  for (const Limit& limit : options.limits) {
    if (!(limit.most > 0 && std::isfinite(limit.most))) {
      return Error(StatusCode::kInvalidArgument, "the limit of {} is {}; it has to be above 0",
                   limit.metric, limit.most);
    }
  }
  for (const Hint& hint : options.hints) {
    if (!space.IndexOf(hint.parameter)) {
      return Error(StatusCode::kInvalidArgument, "a hint names {}, which is no parameter",
                   hint.parameter);
    }
  }
  return OkStatus();
}

Box BoxOf(const Space& space, const std::vector<Hint>& hints) {
  const std::vector<double> standard = space.ToUnit(space.Standard());
  if (hints.empty())
    return {std::vector<double>(space.size(), 0.0), std::vector<double>(space.size(), 1.0)};
  Box box{standard, standard};
  for (const Hint& hint : hints) {
    const std::size_t i = *space.IndexOf(hint.parameter);
    box.least[i] = hint.direction > 0 ? std::max(0.0, standard[i] - kAgainstHint) : 0;
    box.most[i] = hint.direction < 0 ? std::min(1.0, standard[i] + kAgainstHint) : 1;
  }
  return box;
}

}  // namespace

std::string_view ToString(Stage stage) {
  switch (stage) {
    case Stage::kBaseline:
      return "baseline";
    case Stage::kDesign:
      return "design";
    case Stage::kSearch:
      return "search";
    case Stage::kFinal:
      break;
  }
  return "final";
}

Result<Optimiser> Optimiser::Make(Space space, OptimiserOptions options) {
  RS_RETURN_IF_ERROR(CheckOptions(space, options));
  return Optimiser(std::move(space), std::move(options));
}

Optimiser::Optimiser(Space space, OptimiserOptions options)
    : space_(std::move(space)), options_(std::move(options)), box_(BoxOf(space_, options_.hints)) {}

int Optimiser::DesignTrials() const {
  const auto open = std::ranges::count_if(
      box_.least, [&, i = std::size_t{0}](double least) mutable { return least < box_.most[i++]; });
  return std::min(std::clamp(2 * static_cast<int>(open) + 1, kLeastDesign, kMostDesign),
                  FinalsBegin() - kBaselines);
}

// Whole rounds of all finalists and the defaults, one at least.
int Optimiser::FinalsBegin() const {
  constexpr int kRound = static_cast<int>(kMostFinalists) + 1;
  const int rounds = std::max(1, options_.trials / kFinalShare / kRound);
  return options_.trials - rounds * kRound;
}

std::optional<Suggestion> Optimiser::Suggest() const {
  if (asked_) return asked_;
  const std::uint64_t schedule = ScheduleOf(Done());
  if (Done() < kBaselines) {
    asked_ = Suggestion{space_.Standard(), schedule, Stage::kBaseline};
  } else if (const int number = Done() - kBaselines; number < DesignTrials()) {
    asked_ = Suggestion{DesignPoint(number), schedule, Stage::kDesign};
  } else if (Done() < FinalsBegin()) {
    asked_ = SearchPoint();
  } else {
    asked_ = FinalPoint();
  }
  return asked_;
}

// The first one goes half way where the hints point to, the others fill the box.
Point Optimiser::DesignPoint(int number) const {
  std::vector<double> unit = space_.ToUnit(space_.Standard());
  bool has_direction = false;
  for (const Hint& hint : options_.hints) {
    const std::size_t i = *space_.IndexOf(hint.parameter);
    if (hint.direction == 0) continue;
    has_direction = true;
    unit[i] += ((hint.direction > 0 ? box_.most[i] : box_.least[i]) - unit[i]) / 2;
  }
  if (has_direction && number == 0 && space_.KeepsOrders(space_.FromUnit(unit)))
    return space_.FromUnit(unit);
  Halton halton(space_.size(), options_.seed);
  for (int tries = 0, found = 0; tries < kMostTries; ++tries) {
    unit = halton.Next();
    for (std::size_t i = 0; i < unit.size(); ++i)
      unit[i] = box_.least[i] + unit[i] * (box_.most[i] - box_.least[i]);
    Point point = space_.FromUnit(unit);
    if (space_.KeepsOrders(point) && found++ == number) return point;
  }
  return space_.Standard();
}

Suggestion Optimiser::SearchPoint() const {
  const Belief belief(space_, options_.limits, trials_, NoiseOf(trials_));
  const auto key = Draw(options_.seed, static_cast<std::uint64_t>(Done()));
  return {NextPoint(space_, box_, belief, trials_, key), ScheduleOf(Done()), Stage::kSearch};
}

std::vector<Point> Optimiser::FinalistsOf(std::size_t trials) const {
  const std::vector<Trial> before(trials_.begin(),
                                  trials_.begin() + static_cast<std::ptrdiff_t>(trials));
  const Belief belief(space_, options_.limits, before, NoiseOf(before));
  return Finalists(space_, belief, before);
}

std::optional<Suggestion> Optimiser::FinalPoint() const {
  const int begin = FinalsBegin();
  std::vector<Point> points = FinalistsOf(static_cast<std::size_t>(begin));
  if (points.empty()) return std::nullopt;
  points.push_back(space_.Standard());
  const int size = static_cast<int>(points.size());
  const int round = (Done() - begin) / size, place = (Done() - begin) % size;
  if (begin + (round + 1) * size > options_.trials) return std::nullopt;
  // Whoever comes first in one round comes later in the next: what drifts favours nobody.
  const auto which = static_cast<std::size_t>((place + round) % size);
  return Suggestion{points[which], static_cast<std::uint64_t>(kSchedules + round), Stage::kFinal};
}

Status Optimiser::Tell(Measurement measured) {
  const auto asked = Suggest();
  if (!asked)
    return Error(StatusCode::kInvalidArgument, "the search is over: no trial was asked for");
  if (!measured.crashed) {
    if (measured.metrics.size() != options_.limits.size()) {
      return Error(StatusCode::kInvalidArgument,
                   "a measurement has {} metrics; there are {} limits", measured.metrics.size(),
                   options_.limits.size());
    }
    if (!(measured.objective >= 0 && std::isfinite(measured.objective))) {
      return Error(StatusCode::kInvalidArgument, "an objective is {}; it has to be 0 or more",
                   measured.objective);
    }
  }
  trials_.push_back({*asked, std::move(measured)});
  asked_.reset();
  return OkStatus();
}

Status Optimiser::Tell(const Trial& trial) {
  const auto asked = Suggest();
  const bool is_free = asked && asked->stage == Stage::kSearch && IsOfSpace(trial.asked.point);
  if (!asked || trial.asked.stage != asked->stage || trial.asked.schedule != asked->schedule ||
      (!is_free && trial.asked.point != asked->point)) {
    return Error(StatusCode::kInvalidArgument,
                 "trial {} is none that this search would have asked for", Done() + 1);
  }
  // Another machine may round the belief, and so the point, differently.
  asked_ = trial.asked;
  return Tell(trial.measured);
}

bool Optimiser::IsOfSpace(const Point& point) const {
  return point.size() == space_.size() &&
         std::ranges::all_of(point, [](double value) { return std::isfinite(value); }) &&
         space_.FromUnit(space_.ToUnit(point)) == point && space_.KeepsOrders(point);
}

std::optional<Choice> Optimiser::Choose() const {
  if (trials_.empty()) return std::nullopt;
  const int before = std::min(Done(), FinalsBegin());
  return tune::Choose(space_, options_.limits, trials_,
                      FinalistsOf(static_cast<std::size_t>(before)));
}

}  // namespace rankscope::tune
