#include "insight/choice/found.h"

#include <algorithm>

#include "insight/base/thresholds.h"
#include "insight/evidence/loss/absent_waits.h"
#include "insight/evidence/loss/gain_beside_replay.h"

namespace rankscope {

namespace {

// Ranks that wait for ranks that were not recorded hold up the others in every replay: what a cause
// of single ranks takes may then be lost, though replaying without it gains nothing.
void BoundByAbsentRanks(const RuleInput& input, Found& found) {
  const Cause& cause = found.cause;
  const bool is_of_single_ranks = cause.tier == Tier::kRoot || cause.tier == Tier::kBeyondPeers;
  if (!is_of_single_ranks || !found.gain || found.method != "replay" || !cause.lost_ns) return;
  const double most = input.Shared<AbsentWaits>().most;
  const double takes =
      std::min(MostWonBack(input, cause), static_cast<double>(*cause.lost_ns) / input.step_ns());
  const double bound = std::min(takes, *found.gain + most);
  if (bound < *found.gain + kLowGain) return;
  found.gain = bound;
  found.method = "bound";
  found.cause.why +=
      "; other ranks wait for ranks that were not recorded, which no replay can change: the "
      "gain is what it takes";
}

}  // namespace

std::vector<Found> Weighed(const RuleInput& input, std::vector<Cause> causes,
                           GainsTogether& together) {
  std::vector<Found> all;
  all.reserve(causes.size());
  for (Cause& cause : causes) all.push_back({.cause = std::move(cause)});
  std::vector<GainsTogether::Set> alone;
  for (Found& found : all) {
    Cause& cause = found.cause;
    found.method = cause.gain_method;
    found.gain = GainBesideReplay(input, cause);
    if (found.gain && !cause.gain) found.method = "bound";
    if (!cause.without) continue;
    found.number = together.Add(std::move(*cause.without));
    cause.without.reset();
    if (!found.gain && input.fidelity().refused.empty()) alone.push_back({*found.number});
  }
  together.Foresee(alone);
  for (Found& found : all) {
    if (!found.gain && found.number) {
      found.gain = together.Of({*found.number});
      BoundByAbsentRanks(input, found);
    }
  }
  return all;
}

bool IsReplayed(const Found& found) { return found.number && found.method == "replay"; }

bool IsOfItsOwn(const GainsTogether& together, const Found& found, const GainsTogether::Set& others,
                double more) {
  if (more < kLowGain) return false;
  if (more >= kOwnPart * found.gain.value_or(0)) return true;
  return more >= kMediumGain && !found.cause.is_rest &&
         together.IsOfOtherWork(*found.number, others);
}

bool IsLeak(const Cause& cause) { return cause.time_to_failure_ns.has_value(); }

bool IsClaimed(const Cause& cause) { return !cause.is_trade && !cause.is_unproven; }

bool IsOfSlowerHosts(const Cause& cause) {
  return (cause.tier == Tier::kRoot || cause.tier == Tier::kBeyondPeers) &&
         cause.takes == Takes::kHostWork;
}

bool IsOfDevices(const Cause& cause) {
  return cause.takes == Takes::kKernels || cause.takes == Takes::kSlowerKernels;
}

std::optional<double> WeightOf(const Found& found) {
  // Peers are recorded alike: that a host is slower than theirs, recording does not make, though it
  // may make it cost more.
  constexpr double kOfSlowerHost = 0.5;
  if (!found.gain || !found.unprofiled) return found.gain;
  const auto weight = std::min(found.unprofiled, found.cautious);
  return IsOfSlowerHosts(found.cause) ? std::max(weight, std::optional(kOfSlowerHost * *found.gain))
                                      : weight;
}

std::string_view SeverityOf(const Found& found) {
  if (found.cause.time_to_failure_ns) {
    constexpr std::int64_t kHour = 3'600'000'000'000;
    const std::int64_t left = *found.cause.time_to_failure_ns;
    return left < kHour ? "high" : left < 24 * kHour ? "medium" : "low";
  }
  if (!IsClaimed(found.cause)) return "low";
  const double gain = WeightOf(found).value_or(kLowGain);
  // What is severe by the usual estimate is worth a look by the careful one, too; and a host that
  // is slower than its peers'.
  const bool may_be_severe =
      found.gain && (found.unprofiled.value_or(0) >= kHighGain ||
                     (IsOfSlowerHosts(found.cause) && *found.gain >= kHighGain));
  return gain >= kHighGain ? "high" : gain >= kMediumGain || may_be_severe ? "medium" : "low";
}

int RankOfSeverity(std::string_view severity) {
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

}  // namespace rankscope
