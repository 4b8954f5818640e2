// The selected steps.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace rankscope {

// Numbers of the selected steps; nullopt = all steps and the time outside.
using StepFilter = std::optional<std::set<std::int64_t>>;

// True if step `number` is selected.
inline bool Wants(const StepFilter& steps, std::int64_t number) {
  return !steps || steps->contains(number);
}

}  // namespace rankscope
