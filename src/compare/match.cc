#include "compare/match.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "schemas/work.h"

namespace rankscope {
namespace {

using MatchSums = std::vector<const PlaceSum*>;

constexpr std::string_view kBetween = StepWork::kBetween;

std::string WithoutDigits(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c < '0' || c > '9') text += c;
  }
  return text;
}

std::string JoinedMatch(std::initializer_list<std::string_view> texts) {
  std::string joined;
  for (const std::string_view text : texts) (joined += text) += '\x1f';
  return joined;
}

std::string PathKey(const WorkPlace& place) {
  return JoinedMatch({place.phase, place.module, place.path});
}
std::string PlaceKey(const WorkPlace& place) { return PathKey(place) + place.shapes; }

class Matching {
 public:
  Matching(const std::vector<PlaceSum>& base, const std::vector<PlaceSum>& test) {
    for (const PlaceSum& sum : base) base_.push_back(&sum);
    for (const PlaceSum& sum : test) test_.push_back(&sum);
  }

  // What a pass looks at: equal keys are paired in order; "" is left out.
  using Key = std::function<std::string(const WorkPlace&)>;
  enum class Count { kAny, kOne };  // of what is left under a key on both sides

  void Pair(MatchState state, Count count, const Key& key) {
    SortByBegin(base_);
    SortByBegin(test_);
    std::map<std::string, std::pair<MatchSums, MatchSums>> groups;
    for (const PlaceSum* sum : base_) groups[key(sum->place)].first.push_back(sum);
    for (const PlaceSum* sum : test_) groups[key(sum->place)].second.push_back(sum);
    base_.clear();
    test_.clear();
    for (auto& [text, sides] : groups) {
      auto& [base, test] = sides;
      std::size_t pairs = text.empty() ? 0 : std::min(base.size(), test.size());
      if (count == Count::kOne && (base.size() != 1 || test.size() != 1)) pairs = 0;
      for (std::size_t i = 0; i < pairs; ++i) pairs_.push_back({base[i], test[i], state});
      base_.insert(base_.end(), base.begin() + static_cast<std::ptrdiff_t>(pairs), base.end());
      test_.insert(test_.end(), test.begin() + static_cast<std::ptrdiff_t>(pairs), test.end());
    }
  }

  std::vector<PlacePair> Finish() {
    for (const PlaceSum* sum : base_) pairs_.push_back({sum, nullptr, MatchState::kRemoved});
    for (const PlaceSum* sum : test_) pairs_.push_back({nullptr, sum, MatchState::kAdded});
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const PlacePair& a, const PlacePair& b) { return Order(a) < Order(b); });
    return std::move(pairs_);
  }

 private:
  static void SortByBegin(MatchSums& sums) {
    std::stable_sort(sums.begin(), sums.end(), [](const PlaceSum* a, const PlaceSum* b) {
      return a->first_ns < b->first_ns;
    });
  }

  static std::tuple<std::string_view, std::string, std::int64_t> Order(const PlacePair& pair) {
    const PlaceSum& first = pair.base != nullptr ? *pair.base : *pair.test;
    return {first.place.part, PlaceKey(first.place), first.first_ns};
  }

  MatchSums base_;
  MatchSums test_;
  std::vector<PlacePair> pairs_;
};

}  // namespace

std::string_view ToString(MatchState state) {
  static constexpr std::string_view kNames[] = {"same",  "renamed", "reshaped",
                                                "moved", "added",   "removed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::vector<PlacePair> MatchPlaces(const std::vector<PlaceSum>& base,
                                   const std::vector<PlaceSum>& test) {
  using Count = Matching::Count;
  Matching matching(base, test);
  // Idle time has no name and is known by its cause.
  matching.Pair(MatchState::kSame, Count::kAny, [](const WorkPlace& place) {
    return PlaceKey(place) + JoinedMatch({"", place.is_work() ? place.name : place.part});
  });
  matching.Pair(MatchState::kRenamed, Count::kAny, [](const WorkPlace& place) {
    return place.is_work() ? PlaceKey(place) + JoinedMatch({"", WithoutDigits(place.name)}) : "";
  });
  matching.Pair(MatchState::kRenamed, Count::kAny, [](const WorkPlace& place) {
    return place.is_work() ? PlaceKey(place) + JoinedMatch({"", place.class_}) : "";
  });
  matching.Pair(MatchState::kRenamed, Count::kAny, [](const WorkPlace& place) {
    return place.is_work() && place.part != "exposed_copy" ? PlaceKey(place) + JoinedMatch({""})
                                                           : "";
  });
  matching.Pair(MatchState::kReshaped, Count::kAny, [](const WorkPlace& place) {
    return PathKey(place) + JoinedMatch({place.is_work() ? place.name : place.part});
  });
  matching.Pair(MatchState::kReshaped, Count::kOne, [](const WorkPlace& place) {
    return place.is_work() ? PathKey(place) + JoinedMatch({place.class_}) : "";
  });
  matching.Pair(MatchState::kMoved, Count::kOne, [](const WorkPlace& place) {
    const std::size_t around = place.path.rfind(kBetween);
    if (!place.is_work() || around == std::string::npos) return std::string();
    return JoinedMatch(
        {place.phase, place.module, place.path.substr(0, around), place.shapes, place.class_});
  });
  matching.Pair(MatchState::kMoved, Count::kOne, [](const WorkPlace& place) {
    return place.is_work() ? JoinedMatch({place.name, place.shapes}) : "";
  });
  return matching.Finish();
}

}  // namespace rankscope
