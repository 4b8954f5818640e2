// The windows of a job in one order, and what its tables say of stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snoop_file/window.h"
#include "stage/analysis.h"
#include "table/table.h"

namespace rankscope {

struct NumberedWindow {
  std::int64_t number = 0;
  Value rank = kNull;
  std::int64_t begin_ns = 0;                       // from the job's origin
  const snoop_file::Window* head = nullptr;        // of either kind
  const snoop_file::SnoopWindow* snoop = nullptr;  // one of these two
  const snoop_file::OffCpuWindow* offcpu = nullptr;

  double seconds() const { return static_cast<double>(head->window_ns) / 1e9; }
};

// By begin, host and process. They point into `job`. O(windows log windows + captures).
std::vector<NumberedWindow> WindowsOf(const JobContext& job);

// "train (train.py:12)", "cudaMalloc (libcudart.so.12)"; without ; and line breaks, which part
// frames.
std::string FrameText(const snoop_file::Frame& frame);
// Outermost first, with ; between. "" of an empty one.
std::string StackText(const snoop_file::Stack& stack);
// Where a stack is in the program: its innermost Python frame; without one the innermost frame of
// another file than the innermost of all. "" of an empty one.
std::string PlaceText(const snoop_file::Stack& stack);

inline Value IntOrNull(const std::optional<std::int64_t>& number) {
  return number ? Value(*number) : Value(kNull);
}

}  // namespace rankscope
