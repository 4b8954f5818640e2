// Finds the braces of JSON text that are not inside strings, 64 bytes at a time, with state carried
// from buffer to buffer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::kineto {

// State between two pieces of one text.
struct StringState {
  bool in_string = false;
  bool escaped = false;  // the next byte follows an odd run of backslashes
};

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct BraceList {
  std::uint32_t* offsets = nullptr;  // room for `size` entries, owned by the caller
  std::size_t count = 0;
  std::size_t first_control =
      kNone;  // offset of the first control character (below 0x20) inside a string
};

// Fills `found` with the offsets (plus `base`) of { and } outside strings in `text`, and updates
// `state`. Reports control characters inside strings: JSON forbids them, so they indicate damage.
// Uses AVX2 if the processor has it.
void FindBraces(const char* text, std::size_t size, std::uint32_t base, StringState& state,
                BraceList& found);

// The same with SSE2, which every x86-64 has; FindBraces uses it on processors without AVX2.
void FindBracesSse2(const char* text, std::size_t size, std::uint32_t base, StringState& state,
                    BraceList& found);

}  // namespace rankscope::kineto
