// Lists of ranks as text: how traces write them, and short ones for partials.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// No process group is larger, whatever a file says.
inline constexpr std::int64_t kMostGroupRanks = std::int64_t{1} << 20;

// "[0, 8, 16]" as Kineto writes it. A list that is cut off ("[0, 8, 16, ...]", behind 30 numbers)
// is continued when its numbers are evenly spaced and the group's size is known. Empty when it is
// no list, or cannot be known.
std::vector<std::int64_t> RanksOfText(std::string_view text, std::int64_t size);

// "0-7", "0-1016/8" (evenly spaced by 8), "1,2,5", and these joined by commas. Unpack gives an
// empty list for anything else.
std::string PackRanks(std::span<const std::int64_t> ranks);
std::vector<std::int64_t> UnpackRanks(std::string_view text);

}  // namespace rankscope
