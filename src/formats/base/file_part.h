// A file may hold several traces: merged ones, or those of several processes. They count from 0.
#pragma once

namespace rankscope {

inline constexpr int kWholeFile = -1;

}  // namespace rankscope
