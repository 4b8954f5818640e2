// What somebody may have meant by a name that is none.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// The name that takes fewest letters to change, add, drop or swap with their neighbour to become
// `typed` (optimal string alignment), the first of several; "" when that is more than a third of
// its letters, or 3. A name is also near when `typed` is its first words with one slip at most:
// "kernelss" is "kernels_by_name". O(letters^2) a name and word.
std::string_view NearestName(std::string_view typed, std::span<const std::string> names);

}  // namespace rankscope
