// Which steps to look at.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace rankscope {

// Numbers of the steps to look at; nullopt = all of them and the time outside.
using StepFilter = std::optional<std::set<std::int64_t>>;

// True when step `number` is to be looked at.
inline bool Wants(const StepFilter& steps, std::int64_t number) {
  return !steps || steps->contains(number);
}

}  // namespace rankscope
