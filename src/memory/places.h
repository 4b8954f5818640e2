// Interprets stacks: where in the program an allocation was made, and in which phase.
//
// A snapshot does not contain the purpose of a tensor. It contains the program's activity when it
// requested the memory; the innermost conclusive frame decides:
//
//   optimizer      a frame of torch/optim/ (and those of apex, deepspeed and bitsandbytes)
//   communication  a frame of torch.distributed's collectives or of ProcessGroup
//   data           a frame of torch/utils/data/, or pin_memory
//   backward       autograd's engine, or Tensor.backward
//   recompute      a module called from torch/utils/checkpoint.py during backward
//   module         Module.to, .cuda, ._apply, or __init__ or reset_parameters of torch's modules
//   forward        a call of a module, or a function named forward
//   unknown        none of these; mostly if no stack was recorded, and with Python stacks in the
//                  backward pass, which runs on a thread without Python
//
// So activations count as forward and gradients as backward, together with temporary memory there;
// optimizer state counts as optimizer and stays alive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/snapshot.h"

namespace rankscope::memory {

enum class Category : std::uint8_t {
  kForward,
  kBackward,
  kRecompute,
  kOptimizer,
  kModule,
  kData,
  kCommunication,
  kUnknown,
};
inline constexpr std::size_t kCategoryCount = 8;
std::string_view ToString(Category category);

// For every stack of a snapshot, computed once.
class Places {
 public:
  explicit Places(const snapshot::Snapshot& snapshot);

  Category category(std::uint32_t stack) const { return categories_[stack]; }
  // "forward (model.py:54)"; "" if there is no stack.
  std::string Place(std::uint32_t stack) const;
  // All frames, innermost first: "forward (model.py:54) <- main (train.py:10)"; "" without a stack.
  std::string Stack(std::uint32_t stack) const;

 private:
  std::string FrameText(const snapshot::Frame& frame) const;

  const snapshot::Snapshot& snapshot_;
  std::vector<Category> categories_;
};

}  // namespace rankscope::memory
