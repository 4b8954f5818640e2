// The parts of a training step, and the ops that identify them.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class StepPart : std::uint8_t {
  kForward,   // and everything in steps without a backward
  kBackward,  // inside an op of the autograd engine, or on a thread that mostly runs it
  kAfter,     // elsewhere, after the last backward of the step
};
inline constexpr int kStepPartCount = 3;

// An op of the autograd engine: "autograd::engine::evaluate_function: MmBackward0", "MmBackward0",
// "torch::autograd::AccumulateGrad".
bool IsAutogradOp(std::string_view name);

}  // namespace rankscope
