// Suggests a name for one that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// The name nearest to `typed`: it needs the fewest letters changed, added, dropped or swapped with
// their neighbour (optimal string alignment). Of several it is the first. "" if the distance is
// more than a third of its letters, or more than 3. A name is also near if `typed` is its first
// words with at most one slip: "kernelss" is "kernels_by_name". O(letters^2) per name and word.
std::string_view NearestName(std::string_view typed, std::span<const std::string> names);

}  // namespace rankscope
