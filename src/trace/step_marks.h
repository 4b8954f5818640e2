// Steps by marks: rows of the program, its engine or the profiler that say where a step begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// What marks a step. In time order and on one host track.
struct StepMark {
  Row row = kNoRow;
  std::int64_t begin_ns = 0;
  std::optional<std::int64_t> end_ns;  // nullopt: its end was not recorded
  std::optional<std::int64_t> number;  // nullopt: the mark states none
  std::int64_t outer = 0;              // of the epoch, where the mark states one
  StepPhase phase = StepPhase::kNone;
};

// Each finds the marks of its kind, of the host track that has most of them; empty when there are
// none. Engines' and numbered ones are annotations of threads that drive the devices, where any
// does: those that launch recorded work, and those whose ops have their backward on such a thread.
// O(rows).

// ProfilerStep#N. A mark that begins with the one before it, or has its number and begins inside of
// it, or behind one whose end nobody knows, is the same one.
std::vector<StepMark> ProfilerMarks(const RankTrace& trace);
// step_names.h; a mark inside another one belongs to it. Numbers that do not rise are no numbers.
std::vector<StepMark> EngineMarks(const RankTrace& trace);
// Numbered annotations (step_names.h) of one name that do not overlap and whose numbers rise, but
// where they start again; of several such names the one that covers most time.
std::vector<StepMark> NumberedMarks(const RankTrace& trace);

// Fills trace.steps: each reaches from its mark to the next one; the last ends at the later of its
// mark's end and the end of the last device work that was launched inside its mark, or with the
// recording when the mark has no end. Numbered as the marks are, or counted from 0 (`inferred`)
// when one has no number. There is at least one mark.
//
// The first and the last are incomplete when their mark has no end or is shorter than half of what
// is usual for marks of their phase: the lower quartile of those between them, since in some jobs
// most steps stall; where a phase has none between, the other one of the two.
void StepsFromMarks(RankTrace& trace, const std::vector<StepMark>& marks, StepSource source);

// Steps from PyTorch's hooks, when the host track that has most of them has at least two
// Optimizer.step# calls or three calls of a data loader; false and no steps otherwise. That is the
// main thread, where autograd's thread may launch more.
//
//   loader  optimizer  loader  optimizer     step 0 from the first loader call, a step from the
//   |--|......|--|     |--|......|--|        loader call that follows an optimizer's end, or from
//   ^ step 0           ^ step 1     ^ end    that end where no loader call lies between
//
// Where an optimizer steps several times for a batch (fewer loader calls than optimizer steps, as
// in a GAN), each loader call begins a step; without optimizer steps too (evaluation, inference).
// Steps are counted from 0. Incomplete are a first one that begins before its loader call was
// recorded, and a last one that no optimizer step ends.
bool StepsFromHooks(RankTrace& trace);

// Marks a first step as incomplete that takes over 1.5 times the median of the others: the program
// or its profiler starts up in it. For recordings that begin with the program.
void LeaveOutStartUp(RankTrace& trace);

// End of the last device work launched by calls that begin inside [begin, end), at least `end`.
std::int64_t EndOfLaunchedWork(const RankTrace& trace, std::int64_t begin, std::int64_t end);

// The host track whose calls launched most device work; without device work, the one with most
// rows. Null when device work was recorded, but no track launched any, and when there is no host
// track.
const Track* LaunchingTrack(const RankTrace& trace);

}  // namespace rankscope
