// ProgramBuilder: puts the segments of a step in order and gives every call its numbers.
//
// The section of a call's draws is made of what the call is: its kind, its events, and how many
// such calls there were before. So the same call keeps its draws when others come or go.
//
// Forward passes count up the numbers of differentiable operations, and the backward of the one
// that went forward last comes first, as autograd has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "sim/model/jitter.h"
#include "sim/model/library.h"
#include "sim/model/program.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

class ProgramBuilder {
 public:
  // `events`: what the segment's event slots count from.
  void Call(const Segment* segment, std::uint32_t events = 0) {
    Push(Kind::kPlain, {.segment = segment, .events = events});
  }

  // Python frames alone; they draw nothing, and other calls draw as without them.
  void CallFrames(const Segment* segment) {
    if (!segment->empty()) Push(Kind::kFrames, {.segment = segment});
  }

  // The forward of `units` differentiable operations.
  void CallForward(const Segment* segment, std::uint32_t units, std::uint32_t events = 0) {
    if (depth_ == 0) first_ = program_.sequences;
    Push(Kind::kForward,
         {.segment = segment, .sequence = program_.sequences, .events = events, .memory = depth_});
    program_.sequences += units;
    depth_ += units;
    program_.memory = depth_ > program_.memory ? depth_ : program_.memory;
  }

  // The backward of the last `units` operations that have had none.
  void CallBackward(const Segment* segment, std::uint32_t units, std::uint32_t events = 0) {
    depth_ -= units;
    Push(Kind::kBackward,
         {.segment = segment, .sequence = first_ + depth_, .events = events, .memory = depth_});
  }

  // Frees what the last `units` operations have kept, without a backward: inference.
  void Forget(std::uint32_t units, Library* library) {
    const Segment*& segment = forget_[units];
    if (segment == nullptr) {
      SegmentBuilder builder(library);
      for (std::uint32_t unit = 0; unit < units; ++unit) builder.Free(unit);
      segment = builder.Done();
    }
    depth_ -= units;
    Push(Kind::kPlain, {.segment = segment, .memory = depth_});
  }

  // As CallForward and CallBackward, for micro-batches that overlap: operations `first` and
  // following of micro-batch `of`, of `units` each, in the `slot`-th set of memory slots.
  struct InMicroBatch {
    int of = 0;
    int slot = 0;
    std::uint32_t units = 0;
    std::uint32_t first = 0;
  };
  void CallForward(const Segment* segment, const InMicroBatch& at, std::uint32_t events) {
    PushInMicroBatch(Kind::kForward, segment, at, events);
  }
  void CallBackward(const Segment* segment, const InMicroBatch& at, std::uint32_t events) {
    PushInMicroBatch(Kind::kBackward, segment, at, events);
  }

  // Of all calls from now on.
  void set_item(std::uint32_t item) { item_ = item; }

  // `events` is the number of event slots.
  Program Done(std::uint32_t events) {
    program_.events = events;
    return std::exchange(program_, {});
  }

 private:
  enum class Kind : std::uint8_t { kPlain, kForward, kBackward, kFrames };

  void Push(Kind kind, sim::Call call) {
    const std::uint64_t like = std::uint64_t{call.events} << 2 | static_cast<std::uint64_t>(kind);
    call.section = static_cast<std::uint32_t>(MixAll(like, counts_[like]++, 0));
    call.item = item_;
    program_.calls.push_back(call);
  }

  void PushInMicroBatch(Kind kind, const Segment* segment, const InMicroBatch& at,
                        std::uint32_t events) {
    const std::int64_t sequence = std::int64_t{at.units} * at.of;
    const std::uint32_t memory = at.units * static_cast<std::uint32_t>(at.slot);
    Push(kind, {.segment = segment,
                .sequence = sequence + at.first,
                .events = events,
                .memory = memory + at.first});
    program_.sequences = std::max(program_.sequences, sequence + at.units);
    program_.memory = std::max(program_.memory, memory + at.units);
  }

  std::map<std::uint64_t, std::uint64_t> counts_;   // calls so far, by what they are
  std::map<std::uint32_t, const Segment*> forget_;  // by units
  std::uint32_t item_ = 0;
  Program program_;
  std::uint32_t depth_ = 0;  // operations that have had no backward yet
  std::int64_t first_ = 0;   // the sequence number of the first of them
};

}  // namespace rankscope::sim
