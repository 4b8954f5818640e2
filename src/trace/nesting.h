// The rule for parents (link.h): when a row of a track is over for a row that begins later.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rankscope {

// True if a row that ends at `then` is over for a row of [begin, end): it has ended, or it ends
// within a tick of the coarsest clock (integer microseconds) and more of the later row is after
// that than before.
constexpr bool IsOver(std::int64_t then, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kTickNs = 1000;
  return then <= begin || then - begin <= std::min(kTickNs, end - then);
}

}  // namespace rankscope
