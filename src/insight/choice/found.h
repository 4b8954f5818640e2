// A cause with what it gains, before and after others are chosen beside it.
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
  std::optional<double> unprofiled = {};  // of the step without the profiler, where that matters
  std::optional<double> cautious = {};  // the same, if the profiler took kMostOfEstimate times that
  std::string_view method;
  std::optional<std::size_t> number = {};          // of GainsTogether, where it can be replayed
  double combined = 0;                             // of the step, with those told before it
  std::optional<double> combined_unprofiled = {};  // of the step without the profiler
  double others = 1;  // what it and those told before it leave of the step, where no replay tells
  // What it gains before others are gone that hide it; nullopt where none does.
  std::optional<double> alone = {};
};

// What causes gain: by replay where that may be trusted, in few passes over the graph, else no more
// than they take.
std::vector<Found> Weighed(const RuleInput& input, std::vector<Cause> causes,
                           GainsTogether& together);

// A replay tells what it gains beside others.
bool IsReplayed(const Found& found);

// Whether what a replayed cause gains beside `others`, which is `more` of the step, makes it one of
// its own: 1 % at least, and a good part of what it gains alone, or much of other work than they
// are about.
bool IsOfItsOwn(const GainsTogether& together, const Found& found, const GainsTogether::Set& others,
                double more);

bool IsLeak(const Cause& cause);

// Whether its gain can be had, as far as recordings show that, at no other price.
bool IsClaimed(const Cause& cause);

// Whether the cause is work of devices, which a late host hides.
bool IsOfDevices(const Cause& cause);

// What severity and order go by: of two estimates of what the profiler took, the one that leaves
// less, so that no cause is called severe for what may be the profiler's.
std::optional<double> WeightOf(const Found& found);

std::string_view SeverityOf(const Found& found);  // "high", "medium" or "low"
int RankOfSeverity(std::string_view severity);    // 0 is the worst

}  // namespace rankscope
