// Where on the host a step's forward ends and its backward lies, by what they launch.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct StepParts {
  // When the host launches, in times of the recorded replay. INT64_MIN and INT64_MAX where the step
  // has no such work.
  struct Launches {
    std::int64_t last_forward = INT64_MIN;  // of those before the first of the backward
    std::int64_t first_backward = INT64_MAX;
    std::int64_t last_backward = INT64_MIN;
  };

  // O(edges).
  explicit StepParts(const RuleInput& input);

  const Launches& Of(std::uint32_t rank, std::uint32_t step) const {
    return launches_[step * ranks_ + rank];
  }
  // Whether a stretch of the host lies between the forward and the backward of its step, behind the
  // backward.
  bool IsBeforeBackward(const RuleInput& input, NodeId node) const;
  bool IsBehindBackward(const RuleInput& input, NodeId node) const;

 private:
  std::size_t ranks_;
  std::vector<Launches> launches_;  // by step and rank
};

}  // namespace rankscope
