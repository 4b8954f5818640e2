// Steps by marks: rows of the program, its engine or the profiler at the begin of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// A mark of a step. Marks are in time order and on one host track.
struct StepMark {
  Row row = kNoRow;
  std::int64_t begin_ns = 0;
  std::optional<std::int64_t> end_ns;  // nullopt: its end was not recorded
  std::optional<std::int64_t> number;  // nullopt: the mark has none
  std::int64_t outer = 0;              // of the epoch, if the mark has one
  StepPhase phase = StepPhase::kNone;
};

// Each function finds the marks of its kind on the host track with the most of them; empty if there
// are none. Marks of engines and numbered marks must be annotations of threads that drive the
// devices, if any do: threads that launch recorded work, and threads with the forward ops of a
// backward on such a thread. O(rows).

// ProfilerStep#N. A mark is the same as the previous one if both begin together, or if it has the
// same number and begins inside it or after one without a known end.
std::vector<StepMark> ProfilerMarks(const RankTrace& trace);
// See step_names.h; a mark inside another one belongs to it. Numbers that do not increase are
// ignored.
std::vector<StepMark> EngineMarks(const RankTrace& trace);
// Numbered annotations (step_names.h) with the same name, without overlap, and with increasing
// numbers except for restarts; of several such names the one that covers most time.
std::vector<StepMark> NumberedMarks(const RankTrace& trace);

// Fills trace.steps. Each step is from its mark to the next. The last ends at the later of its
// mark's end and the end of the last device work launched inside its mark, or with the recording if
// the mark has no end. Numbers are those of the marks, or counted from 0 (`inferred`) if one has no
// number. There must be at least one mark.
//
// The first and the last step are incomplete if their mark has no end, or is shorter than half of
// the usual duration for marks of their phase. That is the lower quartile of those between them,
// since in some jobs most steps stall; if a phase has none between, the other one of the two.
void StepsFromMarks(RankTrace& trace, const std::vector<StepMark>& marks, StepSource source);

// Steps from PyTorch's hooks, if the host track with the most of them has at least two
// Optimizer.step# calls or three calls of a data loader; otherwise false and no steps. That track
// is the main thread, although autograd's thread may launch more.
//
//   loader  optimizer  loader  optimizer     step 0 from the first loader call, a step from the
//   |--|......|--|     |--|......|--|        loader call that follows an optimizer's end, or from
//   ^ step 0           ^ step 1     ^ end    that end where no loader call lies between
//
// If an optimizer steps several times for a batch (fewer loader calls than optimizer steps, as in a
// GAN), each loader call begins a step; the same without optimizer steps (evaluation, inference).
// Steps are counted from 0. A first step that begins before its recorded loader call, and a last
// step without an optimizer step at its end, are incomplete.
bool StepsFromHooks(RankTrace& trace);

// Marks the first step as incomplete if it takes over 1.5 times the median of the others: it
// contains the start-up of the program or its profiler. For recordings that begin with the program.
void LeaveOutStartUp(RankTrace& trace);

// End of the last device work launched by calls that begin inside [begin, end), at least `end`.
std::int64_t EndOfLaunchedWork(const RankTrace& trace, std::int64_t begin, std::int64_t end);

// The host track whose calls launched most device work; without device work, the one with most
// rows. Null if no track launched any of the recorded device work, and if there is no host track.
const Track* LaunchingTrack(const RankTrace& trace);

}  // namespace rankscope
