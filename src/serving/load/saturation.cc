#include "serving/load/saturation.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope::serving {
namespace {

constexpr std::size_t kLeastForKnee = 4;

// Open levels of one rate that tell something, by rate.
std::vector<std::size_t> Comparable(std::span<const LevelResult> levels) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const LevelResult& one = levels[i];
    if (one.level.kind == LoadKind::kOpen && one.level.target_per_s && !one.level.end_per_s &&
        one.invalid.empty() && one.e2e && one.state != LevelState::kTooShort)
      open.push_back(i);
  }
  std::ranges::stable_sort(open, {}, [&](std::size_t i) { return *levels[i].level.target_per_s; });
  return open;
}

bool Keeps(const LevelResult& level) { return level.good_pct.value_or(0) >= kGoodPct; }

}  // namespace

std::vector<LevelResult> LevelsOf(const ServingData& data, const Objective& objective) {
  std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<const Request*>> requests;
  for (const Request& request : data.requests)
    if (request.level >= 0) requests[{request.source, request.level}].push_back(&request);
  std::vector<LevelResult> results;
  for (const LoadLevel& level : data.levels)
    results.push_back(ResultOf(level, requests[{level.source, level.number}], objective));
  return results;
}

Saturation SaturationOf(std::span<const LevelResult> levels, const Objective& objective) {
  Saturation found;
  const std::vector<std::size_t> open = Comparable(levels);
  for (const std::size_t i : open) {
    if (IsBeyond(levels[i].state)) {
      if (!found.overload) found.overload = i;
    } else if (!found.overload) {
      found.capacity = i;
      if (objective.has_any() && !found.broken && Keeps(levels[i])) found.objective = i;
    }
    if (objective.has_any() && !found.broken && !Keeps(levels[i])) found.broken = i;
  }
  // One level is the highest of all, and says nothing by it.
  if (open.size() < 2) found.capacity.reset();
  const auto most = objective.has_any() ? found.objective : found.capacity;
  if (most) found.sustained_per_s = levels[*most].level.target_per_s;
  if (open.size() < kLeastForKnee) return found;
  const auto power = [&](std::size_t i) { return *levels[i].served_per_s / levels[i].e2e->mean; };
  const auto best = std::ranges::max_element(open, {}, power);
  if (best != open.begin() && best + 1 != open.end()) found.knee = *best;
  return found;
}

std::optional<double> HeadroomPct(const LevelResult& level, const Saturation& found) {
  const auto& rate = level.level.target_per_s;
  if (!rate || level.level.end_per_s || !found.sustained_per_s || *rate > *found.sustained_per_s)
    return std::nullopt;
  return 100 * (1 - *rate / *found.sustained_per_s);
}

}  // namespace rankscope::serving
