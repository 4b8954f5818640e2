// A cause with its gain, alone and after others were chosen.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"
#include "insight/choice/gains_together.h"

namespace rankscope {

struct Found {
  Cause cause;
  std::optional<double> gain;             // share of the step
  std::optional<double> unprofiled = {};  // of the step without the profiler, if that matters
  std::optional<double> cautious = {};  // the same, if the profiler took kMostOfEstimate times that
  std::string_view method;
  std::optional<std::size_t> number = {};  // of GainsTogether, if it can be replayed
  double combined = 0;                     // of the step, together with those reported before it
  std::optional<double> combined_unprofiled = {};  // of the step without the profiler
  double others = 1;  // share of the step left by it and those reported before it, without a replay
  // Its gain before hiding causes are removed; nullopt if none hides it.
  std::optional<double> alone = {};
  bool is_small = false;  // told although it gains less than findings have to, beside the others
};

// Gains of causes: by replay if it fits, in few passes over the graph; otherwise at most their
// time.
std::vector<Found> Weighed(const RuleInput& input, std::vector<Cause> causes,
                           GainsTogether& together);

// A replay gives its gain in combination with others.
bool IsReplayed(const Found& found);

// Whether a replayed cause is separate from `others`, given its additional gain `more` (a share of
// the step): at least 1 %, and a large part of its gain alone, or mostly about other work.
bool IsOfItsOwn(const GainsTogether& together, const Found& found, const GainsTogether::Set& others,
                double more);

bool IsLeak(const Cause& cause);

// Whether recordings show that its gain costs nothing elsewhere.
bool IsClaimed(const Cause& cause);

// Whether the cause is that hosts of some ranks take longer than their peers'.
bool IsOfSlowerHosts(const Cause& cause);

// Whether the cause is device work that a late host hides.
bool IsOfDevices(const Cause& cause);

// The gain for severity and order: the smaller one for two estimates of the profiler's cost, so the
// profiler's cost does not make a cause severe.
std::optional<double> WeightOf(const Found& found);

std::string_view SeverityOf(const Found& found);  // "high", "medium" or "low"
int RankOfSeverity(std::string_view severity);    // 0 is the worst

}  // namespace rankscope
