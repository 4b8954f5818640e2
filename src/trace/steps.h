// Steps: the windows that partition a training or serving loop.
#pragma once

#include <cstddef>
#include <span>

#include "trace/quality.h"
#include "trace/stated_steps.h"
#include "trace/trace.h"

namespace rankscope {

// Tables have a row or more for each step: a recording with more of them than this has its first
// ones told apart, and the rest of its time counts as outside of steps.
inline constexpr std::size_t kMostSteps = 100'000;

// Fills trace.steps; needs parents and links. More than kMostSteps are a problem of quality.
//
// The first of these that the recording has says where steps begin:
//   0. steps that the file states for its devices (stated_steps.h), where there are no ProfilerStep
//      marks, or no work has a recorded launch and so nothing ties it to the host's marks;
//   1. ProfilerStep marks: two or more, or one where no engine marks several;
//   2. marks of an inference engine (step_names.h), each with its phase;
//   3. numbered annotations of the program: "step 12";
//   4. PyTorch's hooks: Optimizer.step# and the data loader's calls (StepsFromHooks);
//   5. instants "iteration begin" of Megatron's tracing (see below);
//   6. periodicity (StepsFromPeriod).
//
// Megatron's tracing has a lane per pipeline stage: step k is [k-th begin, next begin), the
// earliest over lanes that have equally many; the last ends with the latest "iteration end".
//
// A step whose number is not above that of the one before is numbered on (RisingNumbers), and that
// is a problem of quality. `inferred` steps are those whose number no mark states; they are counted
// from 0. What is complete stands where each kind is found. Recordings of 3 and 4 may begin with
// the program: a first step that starts it up is incomplete (LeaveOutStartUp).
void FindSteps(RankTrace& trace, std::span<const StatedStep> stated, QualityLog& quality);

}  // namespace rankscope
