// UTF-8 as it comes from traces: mostly ASCII, sometimes invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

inline constexpr std::uint32_t kReplacementCharacter = 0xFFFD;
inline constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

struct CodePoint {
  std::uint32_t value = 0;  // kReplacementCharacter when the bytes are not UTF-8
  std::size_t bytes =
      1;  // how far to go on; an invalid sequence ends before the byte that breaks it
  bool valid = true;
};

// The code point that begins at byte `at`, which lies inside `text`. Overlong forms, surrogates and
// values beyond U+10FFFF are invalid.
CodePoint DecodeUtf8(std::string_view text, std::size_t at);

// Whether all of it is UTF-8. O(n).
bool IsValidUtf8(std::string_view text);

// How many code points `text` has, an invalid sequence counting as one. O(n).
std::size_t CountCodePoints(std::string_view text);

// The byte offset of code point number `index`, the size of `text` when it has fewer. O(n).
std::size_t ByteOfCodePoint(std::string_view text, std::size_t index);

}  // namespace rankscope
