// Activation checkpointing: forward work that a program repeats during backward to save memory.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row 1 if it is a row of a host thread inside recomputation, else 0; empty if nothing is
// recomputed. PyTorch's forms are:
//   - torch.utils.checkpoint, reentrant: inside the op CheckpointFunctionBackward;
//   - not reentrant: inside its Python function recompute_fn (profiles with stacks);
//   - without stacks: inside a node of the autograd engine, an op that recorded itself for autograd
//     as forward ops do (a sequence number, no forward thread), when an op of the same name and
//     input shapes ran outside of backward; and all inside it.
// What the engine evaluates inside that is backward again. Gradients of gradients (create_graph)
// also record themselves during backward: such ops count when forward had their like.
// Linear.
std::vector<std::uint8_t> RecomputedRows(const RankTrace& trace);

}  // namespace rankscope
