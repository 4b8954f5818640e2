// Steps: the windows that partition a training or serving loop.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trace/quality.h"
#include "trace/stated_steps.h"
#include "trace/trace.h"

namespace rankscope {

// Tables have a row or more for each step: a recording with more of them than this has its first
// ones told apart, and the rest of its time counts as outside of steps.
inline constexpr std::size_t kMostSteps = 100'000;

// The number in "ProfilerStep#12" (spaces around # allowed), nullopt for any other name.
std::optional<std::int64_t> ProfilerStepNumber(std::string_view name);

// Numbers of steps in the order of time: those of a schedule that repeats, or of a counter that
// starts again, go on from the step before, so that no two steps have one.
class RisingNumbers {
 public:
  std::int64_t Of(std::int64_t stated);

 private:
  std::optional<std::int64_t> last_;
  std::int64_t offset_ = 0;
};

// Fills trace.steps; needs parents and links. More than kMostSteps are a problem of quality.
//
// With ProfilerStep marks: step n is [begin of mark n, begin of mark n+1); the last ends at the
// later of its mark's end and the end of the last device work that was launched inside its mark.
// When several threads carry marks, the one with most is used.
//
// Else with instants "iteration begin" (Megatron's tracing, which has a lane per pipeline stage):
// step k is [k-th begin, next begin), the earliest over lanes that have equally many; the last ends
// with the latest "iteration end". They are numbered from 0.
//
// With steps that the file states for its devices (trace/stated_steps.h): those, where there are no
// marks, or no work has a recorded launch and so nothing ties it to the host's marks.
//
// Without any of these, steps are inferred from periodicity on the host thread that launches most
// device work; on none where devices worked and no thread launched any of it. A name is a candidate
// when it occurs k >= 3 times on that thread outside Python frames, its gaps are regular (median
// absolute deviation <= 25 % of the median gap) and its occurrences span at least half of the
// thread. The period is the smallest candidate count k that divides the counts of names which cover
// at least half of the thread's rows; the earliest name of that count begins each step. Such steps
// are numbered from 0 and marked inferred; the first and last are complete only as far as the
// recording goes.
//
// A step whose number is not above that of the one before is numbered on (RisingNumbers), and is
// reported.
//
// complete: the first and last step are incomplete when their mark has no end or is shorter than
// half of the median of all other marks, as the stub behind the last profiler.step() is. Inferred:
// the last one is, since its end is not seen.
void FindSteps(RankTrace& trace, std::span<const StatedStep> stated, QualityLog& quality);

}  // namespace rankscope
