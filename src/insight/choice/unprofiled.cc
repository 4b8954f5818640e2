#include "insight/choice/unprofiled.h"

#include <algorithm>
#include <utility>

#include "insight/base/thresholds.h"
#include "insight/evidence/setting/profiler_cost.h"

namespace rankscope {

Unprofiled::Unprofiled(const RuleInput& input, ViewOf<RecordedWork> work, GainsTogether& together)
    : together_(together), holds_up_devices_(ProfilerHoldsUpDevices(work)) {
  if (!input.fidelity().refused.empty()) return;
  std::optional<Scenario> estimate = WithoutProfiler(input, work, 1);
  std::optional<Scenario> most = WithoutProfiler(input, work, kMostOfEstimate);
  if (!estimate || !most) return;
  numbers_ = {{together.Add(std::move(*estimate)), together.Add(std::move(*most))}};
}

std::optional<double> Unprofiled::GainBeside(const GainsTogether::Set& gone,
                                             std::size_t cause) const {
  return GainBeside(gone, cause, (*numbers_)[0]);
}

void Unprofiled::Foresee(const GainsTogether::Set& gone,
                         const std::vector<std::size_t>& causes) const {
  std::vector<GainsTogether::Set> sets;
  for (const GainsTogether::Set& beside : {GainsTogether::Set{}, gone}) {
    GainsTogether::Set without = beside;
    without.push_back((*numbers_)[0]);
    sets.push_back(without);
    for (const std::size_t cause : causes) {
      sets.push_back(without);
      sets.back().push_back(cause);
    }
  }
  together_.Foresee(std::move(sets));
}

void Unprofiled::TellIn(std::vector<Found>& found) const {
  if (!IsKnown()) return;
  std::vector<GainsTogether::Set> sets;
  for (const std::size_t number : *numbers_) {
    sets.push_back({number});
    for (const Found& one : found) {
      if (IsReplayed(one) && !one.is_small) sets.push_back({*one.number, number});
    }
  }
  together_.Foresee(std::move(sets));
  for (Found& one : found) {
    if (!IsReplayed(one) || one.is_small) continue;
    const std::optional<double> gain = GainBeside({}, *one.number, (*numbers_)[0]);
    const std::optional<double> cautious = GainBeside({}, *one.number, (*numbers_)[1]);
    if (!gain || !cautious) continue;
    // Where devices hardly wait for hosts, recording hides what devices could gain, and makes hosts
    // late that would not be.
    const double now = one.gain.value_or(0);
    const bool is_hidden = IsOfDevices(one.cause) && *gain >= now + kLowGain;
    const bool is_made = !IsOfDevices(one.cause) && std::max(*gain, *cautious) + kLowGain <= now;
    if (!holds_up_devices_ && !is_hidden && !is_made) continue;
    one.unprofiled = gain;
    one.cautious = cautious;
  }
}

void Unprofiled::TellTogether(std::vector<Found>& found) const {
  if (!IsKnown() ||
      std::ranges::none_of(found, [](const Found& one) { return one.unprofiled.has_value(); }))
    return;
  const std::size_t recording = (*numbers_)[0];
  GainsTogether::Set without = {recording};
  std::vector<GainsTogether::Set> sets = {without};
  for (const Found& one : found) {
    if (!IsReplayed(one)) continue;
    without.push_back(*one.number);
    sets.push_back(without);
  }
  together_.Foresee(sets);
  const double gained = together_.Of({recording});
  if (gained >= 1) return;
  without = {recording};
  double combined = 0;  // as in telling_order.cc
  for (Found& one : found) {
    if (IsReplayed(one)) without.push_back(*one.number);
    const double replayed = std::max(0.0, (together_.Of(without) - gained) / (1 - gained));
    combined = std::max(combined, 1 - (1 - replayed) * one.others);
    one.combined_unprofiled = combined;
  }
}

std::optional<double> Unprofiled::GainBeside(const GainsTogether::Set& gone, std::size_t cause,
                                             std::size_t recording) const {
  GainsTogether::Set without = gone;
  without.push_back(recording);
  const double gained = together_.Of(without);
  if (gained >= 1) return std::nullopt;
  without.push_back(cause);
  return std::max(0.0, (together_.Of(without) - gained) / (1 - gained));
}

}  // namespace rankscope
