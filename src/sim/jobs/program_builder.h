// ProgramBuilder: puts the segments of a step in order and numbers every call.
//
// The random-draw section of a call derives from the call itself: its kind, its events, and the
// number of such calls before it. So a call keeps its draws when other calls are added or removed.
//
// Forward passes count up the numbers of differentiable operations. The operation that went forward
// last goes backward first, as in autograd.
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
  // `events`: base of the segment's event slots.
  void Call(const Segment* segment, std::uint32_t events = 0) {
    Push(Kind::kPlain, {.segment = segment, .events = events});
  }

  // Only Python frames. They draw no random numbers, so they do not change other calls' draws.
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

  // The backward of the last `units` operations that have not had their backward.
  void CallBackward(const Segment* segment, std::uint32_t units, std::uint32_t events = 0) {
    depth_ -= units;
    Push(Kind::kBackward,
         {.segment = segment, .sequence = first_ + depth_, .events = events, .memory = depth_});
  }

  // Frees what the last `units` operations kept, without a backward: for inference.
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

  // Like CallForward and CallBackward, for micro-batches that overlap: operations from `first` on
  // of micro-batch `of`, `units` operations each, in the `slot`-th set of memory slots.
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

  // Applies to all later calls.
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
  std::uint32_t depth_ = 0;  // operations still without their backward
  std::int64_t first_ = 0;   // the sequence number of the first of them
};

}  // namespace rankscope::sim
