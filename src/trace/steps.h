// Steps: the windows that partition a training or serving loop.
#pragma once

#include <cstddef>
#include <span>

#include "trace/quality.h"
#include "trace/stated_steps.h"
#include "trace/trace.h"

namespace rankscope {

// Tables have at least one row per step. In a recording with more steps than this, only the first
// ones are separate, and the rest of its time counts as outside of steps.
inline constexpr std::size_t kMostSteps = 100'000;

// Fills trace.steps; needs parents and links. More than kMostSteps are a quality problem.
//
// Steps begin at the first of these that the recording has:
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
// If a step's number is not above the previous one, it is renumbered (RisingNumbers), which is a
// quality problem. `inferred` steps have no number in a mark; they are counted from 0. The
// functions for each kind define which steps are complete. Recordings of 3 and 4 may begin with the
// program: a first step with its start-up is incomplete (LeaveOutStartUp).
void FindSteps(RankTrace& trace, std::span<const StatedStep> stated, QualityLog& quality);

}  // namespace rankscope
