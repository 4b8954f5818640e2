// The annotations around the passes of a pipeline stage.
#pragma once

#include <string_view>

namespace rankscope::sim {

inline constexpr std::string_view kForwardStep = "forward_step";
inline constexpr std::string_view kBackwardStep = "backward_step";

}  // namespace rankscope::sim
