// ProgramBuilder: puts the segments of a step in order and gives every call its numbers.
//
// Forward passes count up the numbers of differentiable operations, and the backward of the one
// that went forward last comes first, as autograd has it.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/program.h"

namespace rankscope::sim {

class ProgramBuilder {
 public:
  // `events`: what the segment's event slots count from.
  void Call(const Segment* segment, std::uint32_t events = 0) {
    Push({.segment = segment, .events = events});
  }

  // The forward of `units` differentiable operations.
  void CallForward(const Segment* segment, std::uint32_t units, std::uint32_t events = 0) {
    if (depth_ == 0) first_ = program_.sequences;
    Push({.segment = segment, .sequence = program_.sequences, .events = events, .memory = depth_});
    program_.sequences += units;
    depth_ += units;
    program_.memory = depth_ > program_.memory ? depth_ : program_.memory;
  }

  // The backward of the last `units` operations that have had none.
  void CallBackward(const Segment* segment, std::uint32_t units, std::uint32_t events = 0) {
    depth_ -= units;
    Push({.segment = segment, .sequence = first_ + depth_, .events = events, .memory = depth_});
  }

  // `events` is the number of event slots.
  Program Done(std::uint32_t events) {
    program_.events = events;
    return std::exchange(program_, {});
  }

 private:
  void Push(sim::Call call) {
    call.section = static_cast<std::uint32_t>(program_.calls.size());
    program_.calls.push_back(call);
  }

  Program program_;
  std::uint32_t depth_ = 0;  // operations that have had no backward yet
  std::int64_t first_ = 0;   // the sequence number of the first of them
};

}  // namespace rankscope::sim
