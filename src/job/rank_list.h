// Lists of ranks as text: the form in traces, and a short form for partials.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// No process group is larger, whatever a file says.
inline constexpr std::int64_t kMostGroupRanks = std::int64_t{1} << 20;

// "[0, 8, 16]" as Kineto writes it. A list that is cut off after 30 numbers ("[0, 8, 16, ...]") is
// continued if its numbers are evenly spaced and the group's size is known. Empty if the text is no
// list, or if the rest cannot be known.
std::vector<std::int64_t> RanksOfText(std::string_view text, std::int64_t size);

// "0-7", "0-1016/8" (evenly spaced by 8), "1,2,5", and these joined by commas. Unpack gives an
// empty list for anything else.
std::string PackRanks(std::span<const std::int64_t> ranks);
std::vector<std::int64_t> UnpackRanks(std::string_view text);

}  // namespace rankscope
