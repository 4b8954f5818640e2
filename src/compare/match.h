// Which place of TEST is which of BASE.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/measures.h"

namespace rankscope {

enum class MatchState : std::uint8_t {
  kSame,      // place, shapes and name agree
  kRenamed,   // another name at the same place with the same shapes
  kReshaped,  // other shapes at the same place
  kMoved,     // another op or place, without another candidate on either side
  kAdded,     // in TEST alone
  kRemoved,   // in BASE alone
};
std::string_view ToString(MatchState state);

// A place in both, or in one of them.
struct PlacePair {
  const PlaceSum* base = nullptr;
  const PlaceSum* test = nullptr;
  MatchState state = MatchState::kSame;

  // TEST's, or BASE's where TEST has none.
  const WorkPlace& place() const { return test != nullptr ? test->place : base->place; }
};

// Pairs every place of either side once. A place is its phase, modules, path and shapes; the pairs
// are looked for in this order, each among what is left:
//   1. the same place and name, of idle time the same cause
//   2. the same place: names that differ in digits alone, then the same class of kernel, then any
//      kernel, in the order in which they first begin
//   3. the same phase, modules and path: one name in order, as with shapes that vary from step to
//      step, then the same class of kernel where one is left on both sides
//   4. the same place but for the innermost op, as with ops of another vendor's library, and the
//      same class of kernel, where one is left on both sides
//   5. the same name and shapes, where one is left on both sides
// Pairs come by part and place, never by name, so that names change no order.
std::vector<PlacePair> MatchPlaces(const std::vector<PlaceSum>& base,
                                   const std::vector<PlaceSum>& test);

}  // namespace rankscope
