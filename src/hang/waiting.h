// The waits between pending calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::hang {

// By call: the calls that it waits for.
using Waiting = std::vector<std::vector<std::uint32_t>>;

struct Roots {
  // By call: the number of its knot, a set of calls that wait for each other in circles; most calls
  // form a knot by themselves.
  std::vector<std::uint32_t> knot;
  std::vector<std::uint32_t> size;    // by knot
  std::vector<bool> is_root;          // by knot: it waits for no other
  std::vector<std::int64_t> held_up;  // by knot: calls outside that wait for it, 0 unless a root
};

// O(calls + waits), but for held_up: that for each root.
Roots FindRoots(const Waiting& waiting);

}  // namespace rankscope::hang
