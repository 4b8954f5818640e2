#include "insight/base/cause.h"

#include <array>

namespace rankscope {

bool IsGeneral(Tier tier) {
  return tier == Tier::kBeyondPeers || tier == Tier::kBeyondSteps || tier == Tier::kExposed;
}

std::string_view ToString(Takes takes) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "slower kernels", "more work",    "kernels", "copies",    "host work",
      "launching",      "data",         "sync",    "allocator", "transfers",
      "schedule",       "outlier step", "memory",  "unknown"};
  return kNames[static_cast<std::size_t>(takes)];
}

}  // namespace rankscope
