// Names that hold tensors in a training loop.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "fix/program/loops.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

using NameSet = std::set<std::string, std::less<>>;

// What is given to `backward` of the loop, as texts: `loss`, also of `(loss / n).backward()` and
// `scaler.scale(loss).backward()`.
NameSet LossesOf(const StepLoop& step);

// Names of the loop that hold tensors: what losses are computed of, and what is computed of that.
NameSet TensorNames(const StepLoop& step, const NameSet& losses);

bool UsesAny(const Node& node, const NameSet& names);

// Whether an expression leaves PyTorch: its value is no tensor (numpy, .item(), float(), ...).
bool LeavesTorch(std::string_view text);

}  // namespace rankscope::fix
