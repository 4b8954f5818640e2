// Matches the places of TEST with those of BASE.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/measures.h"

namespace rankscope {

enum class MatchState : std::uint8_t {
  kSame,      // place, shapes and name agree
  kRenamed,   // same place and shapes, another name
  kReshaped,  // same place, other shapes
  kMoved,     // another op or place, and no other candidate on either side
  kAdded,     // only in TEST
  kRemoved,   // only in BASE
};
std::string_view ToString(MatchState state);

// A place in both jobs, or in one of them.
struct PlacePair {
  const PlaceSum* base = nullptr;
  const PlaceSum* test = nullptr;
  MatchState state = MatchState::kSame;

  // TEST's place; BASE's if TEST has none.
  const WorkPlace& place() const { return test != nullptr ? test->place : base->place; }
};

// Pairs every place of either side exactly once. A place is its phase, modules, path and shapes.
// Pairs are searched in this order, each among the remaining places:
//   1. the same place and name; for idle time, the same cause
//   2. the same place: first names that differ only in digits, then the same kernel class, then any
//      kernel, in the order in which they first begin
//   3. the same phase, modules and path: first the same name, in order, as with shapes that vary
//      from step to step; then the same kernel class if one place is left on both sides
//   4. the same place except for the innermost op, as with ops of another vendor's library, and the
//      same kernel class, if one place is left on both sides
//   5. the same name and shapes, if one place is left on both sides
// Pairs are sorted by part and place, never by name, so that renaming does not change the order.
std::vector<PlacePair> MatchPlaces(const std::vector<PlaceSum>& base,
                                   const std::vector<PlaceSum>& test);

}  // namespace rankscope
