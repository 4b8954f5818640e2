// Why a post-training run wastes its devices, by positive evidence: each cause has a file that says
// what it looks for. Gains are shares of the mean step's time by a formula that is stated with
// them; where that is a bound the finding says so.
//
// Colocated roles that take turns waste nothing by that: all devices work in each phase. So a
// phase bubble is looked for in split layouts alone.
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
  // One of gain and no_gain is there.
  std::optional<double> gain_pct;
  std::string gain_method;   // computed, or bound: never more than that
  std::string gain_formula;  // with its numbers
  std::string no_gain;

  // By gain, else by what is lost: high from 10 %, medium from 3 %.
  std::string_view severity() const;
};

struct Causes {
  std::vector<Finding> findings;       // by severity, then gain
  std::vector<std::string> unchecked;  // "rollout-tail: needs ..", of those not looked for
};

// Findings of a gain below 1 % are not told.
Causes FindCauses(const Analysis& analysis);

// Each adds what it finds, or to `unchecked` what it lacks.
void FindPhaseBubble(const Analysis& analysis, Causes& causes);
void FindRoleImbalance(const Analysis& analysis, Causes& causes);
void FindRolloutImbalance(const Analysis& analysis, Causes& causes);
// Behind rollout-imbalance, which explains a tail.
void FindRolloutTail(const Analysis& analysis, Causes& causes);
void FindWeightSync(const Analysis& analysis, Causes& causes);
void FindRewardWait(const Analysis& analysis, Causes& causes);
void FindCheckpointInLoop(const Analysis& analysis, Causes& causes);
void FindPaddingWaste(const Analysis& analysis, Causes& causes);

}  // namespace rankscope::post_training
