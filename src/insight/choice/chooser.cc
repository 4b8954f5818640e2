#include "insight/choice/chooser.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "insight/base/thresholds.h"

namespace rankscope {
namespace {

// Whether causes of the tier sit on single ranks, of which others may hide what they cost.
bool MayHide(Tier tier) { return tier == Tier::kRoot || tier == Tier::kBeyondPeers; }

// What gains so much without the profiler is told, though it gains nothing with it: twice over an
// estimate, so less is not.
constexpr double kHiddenByProfiler = 0.05;

constexpr std::string_view kHiddenText =
    "; it gains that once the other causes are gone, which hide it";

class Chooser {
 public:
  Chooser(const RuleInput& input, GainsTogether& together, const Unprofiled& unprofiled)
      : input_(input), together_(together), unprofiled_(unprofiled) {}

  std::vector<Found> Choose(std::vector<Found> weighed) {
    std::vector<Found> all, hidden, behind, small, of_devices;
    for (Found& found : weighed) {
      const bool takes_time = found.cause.lost_ns && static_cast<double>(*found.cause.lost_ns) >=
                                                         kLowGain * input_.step_ns();
      if (IsLeak(found.cause) || (found.gain && *found.gain >= kLowGain)) {
        all.push_back(std::move(found));
      } else if (MayHide(found.cause.tier) && IsReplayed(found) && takes_time) {
        hidden.push_back(std::move(found));
      } else if (found.cause.told_anyway) {
        small.push_back(std::move(found));
      } else if (found.cause.told_when_hidden && IsReplayed(found) && takes_time) {
        behind.push_back(std::move(found));
      } else if (IsOfDevices(found.cause) && IsReplayed(found) && takes_time) {
        of_devices.push_back(std::move(found));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      if (a.cause.tier != b.cause.tier) return a.cause.tier < b.cause.tier;
      return a.gain.value_or(0) > b.gain.value_or(0);
    });
    for (const Found& found : all) {
      if (IsReplayed(found)) upcoming_.push_back(*found.number);
    }
    std::size_t next = 0;
    for (Tier tier = Tier::kRoot; tier <= Tier::kNature;
         tier = static_cast<Tier>(static_cast<int>(tier) + 1)) {
      for (; next < all.size() && all[next].cause.tier == tier; ++next) Add(std::move(all[next]));
      std::vector<Found> of_tier;
      for (Found& found : hidden) {
        if (found.cause.tier == tier) of_tier.push_back(std::move(found));
      }
      AddHidden(std::move(of_tier));
    }
    AddHidden(std::move(behind));
    AddHiddenByProfiler(std::move(of_devices));
    TellUnhidden();
    for (Found& found : small) AddSmall(std::move(found));
    return std::move(chosen_);
  }

 private:
  void Add(Found found) {
    if (IsReplayed(found)) {
      // As if all that come were chosen: what is not, is foreseen anew.
      together_.ForeseePrefixes(gone_, std::span(upcoming_).subspan(passed_++));
      GainsTogether::Set with = gone_;
      with.push_back(*found.number);
      const double gain = together_.Of(with);
      if (!IsOfItsOwn(together_, found, gone_, gain - gained_)) {
        if (found.cause.told_anyway) AddSmall(std::move(found));
        return;
      }
      gone_ = std::move(with);
      gained_ = gain;
    } else if (IsGeneral(found.cause.tier) && IsNamed(found.cause)) {
      return;
    }
    chosen_.push_back(std::move(found));
  }

  // What devices do costs nothing while the profiler makes their host late; without it, it does.
  void AddHiddenByProfiler(std::vector<Found> of_devices) {
    if (!unprofiled_.IsKnown() || of_devices.empty()) return;
    std::vector<std::size_t> numbers;
    for (const Found& found : of_devices) numbers.push_back(*found.number);
    unprofiled_.Foresee(gone_, numbers);
    for (Found& found : of_devices) {
      const double alone = unprofiled_.GainBeside({}, *found.number).value_or(0);
      const double beside = unprofiled_.GainBeside(gone_, *found.number).value_or(0);
      if (alone < kHiddenByProfiler || beside < std::max(kLowGain, kOwnPart * alone)) continue;
      gone_.push_back(*found.number);
      gained_ = together_.Of(gone_);
      chosen_.push_back(std::move(found));
    }
  }

  // What others hide in part is told with what it gains once these are gone.
  void TellUnhidden() {
    for (Found& found : chosen_) {
      if (!found.cause.told_when_hidden || found.alone || !IsReplayed(found)) continue;
      GainsTogether::Set others = gone_;
      std::erase(others, *found.number);
      const double gain = gained_ - together_.Of(others);
      if (gain < *found.gain + kLowGain) continue;
      found.alone = std::exchange(found.gain, gain);
      found.cause.why += kHiddenText;
    }
  }

  // Told beside the others with low severity: what gains little alone, or, where it gains more,
  // with what the others leave of that.
  void AddSmall(Found found) {
    if (!found.gain || *found.gain >= kLowGain) {
      if (!IsReplayed(found)) return;
      GainsTogether::Set with = gone_;
      with.push_back(*found.number);
      found.gain = std::min(together_.Of(with) - gained_, kLowGain);
    }
    found.is_small = true;
    if (*found.gain >= kLeastTold) chosen_.push_back(std::move(found));
  }

  // Where no replay tells what is left: whether a cause was told that takes the same on the same
  // ranks; of a step, any that strikes it.
  bool IsNamed(const Cause& cause) const {
    return std::any_of(chosen_.begin(), chosen_.end(), [&](const Found& told) {
      const Cause& other = told.cause;
      const bool is_alike = cause.takes == Takes::kOutlier || other.takes == cause.takes;
      return is_alike &&
             std::any_of(cause.ranks.begin(), cause.ranks.end(), [&](std::uint32_t rank) {
               return std::find(other.ranks.begin(), other.ranks.end(), rank) != other.ranks.end();
             });
    });
  }

  // Causes that hide each other: each alone gains nothing, since the ranks wait for the other one
  // then. Those without which the cure of all would gain less are told, with that.
  void AddHidden(std::vector<Found> hidden) {
    if (hidden.empty()) return;
    const auto without = [&](const Found* left_out) {
      GainsTogether::Set causes = gone_;
      for (const Found& one : hidden) {
        if (&one != left_out) causes.push_back(*one.number);
      }
      return causes;
    };
    GainsTogether::Set cured = without(nullptr);
    const double all = together_.Of(cured);
    if (all - gained_ < kLowGain) return;
    std::vector<GainsTogether::Set> but_one;
    for (const Found& one : hidden) but_one.push_back(without(&one));
    together_.Foresee(std::move(but_one));
    for (Found& one : hidden)
      one.alone = std::exchange(one.gain, all - together_.Of(without(&one)));
    for (Found& one : hidden) {
      if (*one.gain < kLowGain) continue;
      one.cause.why += kHiddenText;
      chosen_.push_back(std::move(one));
    }
    gone_ = std::move(cured);
    gained_ = all;
  }

  const RuleInput& input_;
  GainsTogether& together_;
  const Unprofiled& unprofiled_;
  std::vector<std::size_t> upcoming_;  // in the order in which they are added
  std::size_t passed_ = 0;             // of these
  GainsTogether::Set gone_;            // all that were chosen
  double gained_ = 0;                  // by that
  std::vector<Found> chosen_;
};

}  // namespace

std::vector<Found> ChosenOf(const RuleInput& input, GainsTogether& together,
                            const Unprofiled& unprofiled, std::vector<Found> weighed) {
  return Chooser(input, together, unprofiled).Choose(std::move(weighed));
}

}  // namespace rankscope
