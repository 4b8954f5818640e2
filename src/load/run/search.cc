#include "load/run/search.h"

#include <algorithm>
#include <cmath>

namespace rankscope::load {
namespace {

constexpr double kRequestsOfLevel = 40;
constexpr double kTimesAlone = 15;
constexpr double kLongest = 6;  // times the usual length, of levels of few requests
constexpr double kLeastPerS = 1e-3;

}  // namespace

std::optional<LevelSpec> RateSearch::Next() const {
  if (levels_ == 0)
    return LevelSpec{.kind = serving::LoadKind::kClosed, .users = 1, .sending = sending_ / 2};
  if (alone_per_s_ <= 0 || levels_ >= kMostLevels || invalid_ >= kMostInvalid) return std::nullopt;
  double per_s = alone_per_s_;
  if (bad_per_s_ > 0 && good_per_s_ > 0) {
    if (bad_per_s_ / good_per_s_ <= kPrecision) return std::nullopt;
    per_s = std::sqrt(good_per_s_ * bad_per_s_);
  } else if (bad_per_s_ > 0) {
    per_s = bad_per_s_ / 2;
  } else if (good_per_s_ > 0) {
    per_s = good_per_s_ * 2;
  }
  if (per_s < kLeastPerS) return std::nullopt;
  // A server that is full shows it after some times of a request.
  const double needed = std::max(kRequestsOfLevel / per_s, kTimesAlone / alone_per_s_) * 1e9;
  const auto usual = static_cast<double>(sending_);
  return LevelSpec{
      .kind = serving::LoadKind::kOpen,
      .per_s = per_s,
      .sending = static_cast<std::int64_t>(std::clamp(needed, usual, kLongest * usual))};
}

void RateSearch::Tell(const serving::LevelResult& result) {
  ++levels_;
  if (result.level.kind == serving::LoadKind::kClosed) {
    if (result.e2e && result.e2e->mean > 0) alone_per_s_ = 1e9 / result.e2e->mean;
    return;
  }
  if (!result.invalid.empty()) {
    ++invalid_;
    return;
  }
  const double per_s = *result.level.target_per_s;
  const bool is_good =
      !serving::IsBeyond(result.state) && result.good_pct.value_or(100) >= serving::kGoodPct;
  if (is_good) {
    good_per_s_ = std::max(good_per_s_, per_s);
  } else if (bad_per_s_ == 0 || per_s < bad_per_s_) {
    bad_per_s_ = per_s;
  }
}

}  // namespace rankscope::load
