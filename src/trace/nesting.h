// When a row of a track is over for one that begins behind it: what parents rest on (link.h).
#pragma once

#include <algorithm>
#include <cstdint>

namespace rankscope {

// Whether what ends at `then` is over for a row of [begin, end): it has ended, or does within a
// tick of the coarsest clock (integer microseconds), and more of the row lies behind that than
// before.
constexpr bool IsOver(std::int64_t then, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kTickNs = 1000;
  return then <= begin || then - begin <= std::min(kTickNs, end - then);
}

}  // namespace rankscope
