#include "insight/choice/telling_order.h"

#include <algorithm>
#include <span>
#include <utility>

#include "insight/base/thresholds.h"
#include "insight/evidence/loss/gain_beside_replay.h"

namespace rankscope {
namespace {

// Launching is what is left to do for a host whose program waits or copies for nothing, and the
// bubble what a schedule costs by its nature: behind causes of the program that are as severe,
// which name what to change, and gain half as much or more, with the profiler and without.
void TellLater(Takes takes, std::vector<Found>& found) {
  constexpr double kHalfAsMuch = 0.5;
  const auto later = std::find_if(found.begin(), found.end(),
                                  [&](const Found& one) { return one.cause.takes == takes; });
  if (later == found.end()) return;
  auto behind = later;
  for (auto at = later; at != found.end() && SeverityOf(*at) == SeverityOf(*later); ++at) {
    const bool is_named = at->cause.tier == Tier::kRoot || at->cause.tier == Tier::kProgram;
    const bool is_much = WeightOf(*at).value_or(0) >= kHalfAsMuch * WeightOf(*later).value_or(0) &&
                         at->gain.value_or(0) >= kHalfAsMuch * later->gain.value_or(0);
    if (is_named && is_much && !at->cause.is_rest && IsClaimed(at->cause)) behind = at;
  }
  std::rotate(later, later + 1, behind + 1);
}

void Sort(std::vector<Found>& found) {
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    const int left = RankOfSeverity(SeverityOf(a));
    const int right = RankOfSeverity(SeverityOf(b));
    if (left != right) return left < right;
    if (IsClaimed(a.cause) != IsClaimed(b.cause)) return IsClaimed(a.cause);
    // What gains little before others are gone comes behind these.
    if (a.alone.has_value() != b.alone.has_value()) return b.alone.has_value();
    if (a.cause.is_rest != b.cause.is_rest) return b.cause.is_rest;
    const double of_a = WeightOf(a).value_or(0), of_b = WeightOf(b).value_or(0);
    if (of_a != of_b) return of_a > of_b;
    if (a.gain != b.gain) return a.gain > b.gain;
    return a.cause.id < b.cause.id;
  });
  TellLater(Takes::kSchedule, found);
  TellLater(Takes::kLaunching, found);
}

// What `cause` gains once all of these are gone; all that there is where no bound is among them.
double GainBehind(GainsTogether& together, const GainsTogether::Set& gone,
                  const GainsTogether::Set& bounds, std::size_t cause) {
  if (bounds.empty()) return 1;
  GainsTogether::Set without = gone;
  without.insert(without.end(), bounds.begin(), bounds.end());
  GainsTogether::Set with = without;
  with.push_back(cause);
  together.Foresee({without, with});
  return together.Of(with) - together.Of(without);
}

}  // namespace

std::vector<Found> InTellingOrder(const RuleInput& input, GainsTogether& together,
                                  std::vector<Found> found) {
  Sort(found);
  std::vector<std::size_t> upcoming;
  for (const Found& one : found) {
    if (IsReplayed(one)) upcoming.push_back(*one.number);
  }
  std::size_t passed = 0;
  GainsTogether::Set gone;
  GainsTogether::Set bounds;  // what stands above and can be replayed, for what it is at most
  double others = 1;          // what causes leave of the step whose gain no replay gives
  double replayed = 0;
  double most_of_bounds = 0;  // what the told ones can win back together
  double combined = 0;  // more causes gone never make the step longer: then they hide each other
  std::vector<Found> kept;
  kept.reserve(found.size());
  for (Found& one : found) {
    if (IsReplayed(one)) {
      together.ForeseePrefixes(gone, std::span(upcoming).subspan(passed++));
      GainsTogether::Set with = gone;
      with.push_back(*one.number);
      const double gain = together.Of(with);
      const double least = std::max(kLowGain, kOwnPart * one.gain.value_or(0));
      // What has no name and is explained by what stands above it is no contribution of its own.
      if (IsGeneral(one.cause.tier) && !one.alone &&
          (!IsOfItsOwn(together, one, gone, gain - replayed) ||
           GainBehind(together, gone, bounds, *one.number) < least))
        continue;
      gone = std::move(with);
      replayed = gain;
    } else {
      if (one.number) bounds.push_back(*one.number);
      others *= 1 - one.gain.value_or(0);
      if (one.method == "bound") {
        most_of_bounds = std::max(most_of_bounds, MostWonBack(input, one.cause));
        others = std::max(others, 1 - std::max(most_of_bounds, *one.gain));
      }
    }
    one.combined = std::max(combined, 1 - (1 - replayed) * others);
    combined = one.combined;
    one.others = others;
    kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace rankscope
