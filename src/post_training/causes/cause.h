// Why a post-training run wastes device time, from positive evidence: each cause has a file that
// says what it looks for. Gains are shares of the mean step time, by a formula that is stated with
// them. If a gain is only a bound, the finding says so.
//
// Colocated roles that take turns waste nothing by it: all devices work in each phase. So phase
// bubbles are only searched in split layouts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "post_training/causes/analysis.h"

namespace rankscope::post_training {

struct Finding {
  std::string id;
  std::string title;
  std::string evidence;
  std::string change;
  std::optional<double> lost_pct;  // of the step's time
  // Exactly one of gain and no_gain is set.
  std::optional<double> gain_pct;
  std::string gain_method;   // "computed", or "bound": at most that
  std::string gain_formula;  // with its numbers filled in
  std::string no_gain;

  // By gain, otherwise by the loss: high from 10 %, medium from 3 %.
  std::string_view severity() const;
};

struct Causes {
  std::vector<Finding> findings;       // by severity, then gain
  std::vector<std::string> unchecked;  // "rollout-tail: needs ..", of causes not checked
};

// Findings with a gain below 1 % are left out.
Causes FindCauses(const Analysis& analysis);

// Each appends its findings, or to `unchecked` the data that it lacks.
void FindPhaseBubble(const Analysis& analysis, Causes& causes);
void FindRoleImbalance(const Analysis& analysis, Causes& causes);
void FindRolloutImbalance(const Analysis& analysis, Causes& causes);
// Call after rollout-imbalance, which can explain a tail.
void FindRolloutTail(const Analysis& analysis, Causes& causes);
void FindWeightSync(const Analysis& analysis, Causes& causes);
void FindRewardWait(const Analysis& analysis, Causes& causes);
void FindCheckpointInLoop(const Analysis& analysis, Causes& causes);
void FindPaddingWaste(const Analysis& analysis, Causes& causes);

}  // namespace rankscope::post_training
