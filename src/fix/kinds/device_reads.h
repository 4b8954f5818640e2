// Reads of a device in every step of a training loop.
#pragma once

#include <cstddef>

#include "fix/base/kind.h"
#include "fix/program/loops.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A place in a training loop.
Site SiteOf(std::size_t index, const Node& at, const StepLoop& step);

// `x.item()` of `total += x.item()` or `total += x.item() * n`; none for anything else.
Node ReadOf(const Node& sum);

// Leaves to the user what reads the device in every step and no patch takes away: `x.item()`,
// `x.cpu()`, `x.tolist()`, `x.numpy()`; `float(x)` and `int(x)` of a tensor; conditions that are
// tensors (`if torch.isnan(loss):`, `if (grad > 1).any():`). What lies inside of an `if` is up to
// the program; its condition is not.
void LookAtReads(Look& look, std::size_t index, const StepLoop& step);

}  // namespace rankscope::fix
