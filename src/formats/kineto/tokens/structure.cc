#include "formats/kineto/tokens/structure.h"

#include <immintrin.h>

#include <cstring>

namespace rankscope::kineto {
namespace {

struct Masks {
  std::uint64_t backslash;
  std::uint64_t quote;
  std::uint64_t brace;
  std::uint64_t control;
};

struct Sse2 {
  static Masks Load(const char* text) {
    Masks masks{};
    for (int i = 0; i < 4; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * i));
      const auto put = [&](std::uint64_t& mask, __m128i matches) {
        mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches)))
                << (16 * i);
      };
      put(masks.backslash, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
      put(masks.quote, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
      put(masks.brace, _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('{')),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('}'))));
      put(masks.control,
          _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x1F)), _mm_set1_epi8(0x1F)));
    }
    return masks;
  }
};

struct Avx2 {
  __attribute__((target("avx2"))) static Masks Load(const char* text) {
    Masks masks{};
    for (int i = 0; i < 2; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32 * i));
      masks.backslash |= Put(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')), i);
      masks.quote |= Put(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')), i);
      masks.brace |= Put(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('{')),
                                         _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('}'))),
                         i);
      masks.control |= Put(
          _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8(0x1F)), _mm256_set1_epi8(0x1F)),
          i);
    }
    return masks;
  }
  __attribute__((target("avx2"))) static std::uint64_t Put(__m256i matches, int i) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(matches)))
           << (32 * i);
  }
};

// Bits that follow an odd run of backslashes. `escaped` is the carry in and out.
inline std::uint64_t EscapedBits(std::uint64_t backslash, bool& escaped) {
  if (backslash == 0 && !escaped) [[likely]] {
    return 0;
  }
  std::uint64_t result = 0;
  std::uint64_t carry = escaped ? 1 : 0;
  // Runs are rare and short: walk them.
  std::uint64_t rest = backslash;
  if (carry) {
    result |= 1;
    rest &= ~std::uint64_t{1};
  }
  escaped = false;
  while (rest != 0) {
    const int at = __builtin_ctzll(rest);
    if (at == 63) {
      escaped = true;
      break;
    }
    result |= std::uint64_t{1} << (at + 1);
    rest &= ~((std::uint64_t{3}) << at);  // this backslash, and the byte it escapes
  }
  return result;
}

inline std::uint64_t PrefixXor(std::uint64_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
}

// What is left after the last whole block, byte by byte.
void ScanTail(const char* text, std::size_t begin, std::size_t size, std::uint32_t base,
              StringState& state, BraceList& found) {
  for (std::size_t at = begin; at < size; ++at) {
    const char c = text[at];
    // A backslash outside of strings is no JSON; a brace behind one counts, as in whole blocks.
    if ((c == '{' || c == '}') && !state.in_string)
      found.offsets[found.count++] = base + static_cast<std::uint32_t>(at);
    if (state.escaped) {
      state.escaped = false;
    } else if (c == '\\') {
      state.escaped = true;
    } else if (c == '"') {
      state.in_string = !state.in_string;
    }
    if (state.in_string && static_cast<unsigned char>(c) < 0x20 && at < found.first_control)
      found.first_control = at;
  }
}

template <typename Simd>
inline __attribute__((always_inline)) void Scan(const char* text, std::size_t size,
                                                std::uint32_t base, StringState& state,
                                                BraceList& found) {
  std::uint64_t in_string = state.in_string ? ~std::uint64_t{0} : 0;
  bool escaped = state.escaped;
  std::uint32_t* out = found.offsets;
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) {
    const Masks masks = Simd::Load(text + at);
    const std::uint64_t quotes = masks.quote & ~EscapedBits(masks.backslash, escaped);
    const std::uint64_t inside = PrefixXor(quotes) ^ in_string;
    in_string = static_cast<std::uint64_t>(static_cast<std::int64_t>(inside) >> 63);
    std::uint64_t braces = masks.brace & ~inside;
    const std::uint32_t block = base + static_cast<std::uint32_t>(at);
    while (braces != 0) {
      *out++ = block + static_cast<std::uint32_t>(__builtin_ctzll(braces));
      braces &= braces - 1;
    }
    if ((masks.control & inside) != 0 && found.first_control == kNone) [[unlikely]] {
      found.first_control = at + static_cast<std::size_t>(__builtin_ctzll(masks.control & inside));
    }
  }
  found.count = static_cast<std::size_t>(out - found.offsets);
  state.in_string = in_string != 0;
  state.escaped = escaped;
  ScanTail(text, at, size, base, state, found);
}

__attribute__((target("avx2"))) void ScanAvx2(const char* text, std::size_t size,
                                              std::uint32_t base, StringState& state,
                                              BraceList& found) {
  Scan<Avx2>(text, size, base, state, found);
}

}  // namespace

void FindBracesSse2(const char* text, std::size_t size, std::uint32_t base, StringState& state,
                    BraceList& found) {
  found.count = 0;
  found.first_control = kNone;
  Scan<Sse2>(text, size, base, state, found);
}

void FindBraces(const char* text, std::size_t size, std::uint32_t base, StringState& state,
                BraceList& found) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (!has_avx2) return FindBracesSse2(text, size, base, state, found);
  found.count = 0;
  found.first_control = kNone;
  ScanAvx2(text, size, base, state, found);
}

}  // namespace rankscope::kineto
