// Text from other programs, which may not be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

// Length of the UTF-8 sequence at `at`; 0 if there is no valid one.
std::size_t Utf8Length(std::string_view text, std::size_t at);

bool IsUtf8(std::string_view text);
// Replaces every byte that belongs to no valid sequence by U+FFFD. O(length).
std::string RepairUtf8(std::string_view text);

}  // namespace rankscope
