#include "tools/scrub/siphash.h"

#include <bit>
#include <cstring>

namespace rankscope::tools {
namespace {

struct State {
  std::uint64_t a, b, c, d;
  void Round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
};

}  // namespace

std::uint64_t SipHash(const SipKey& key, std::string_view text) {
  State state{key.low ^ 0x736f6d6570736575U, key.high ^ 0x646f72616e646f6dU,
              key.low ^ 0x6c7967656e657261U, key.high ^ 0x7465646279746573U};
  const std::uint64_t length = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    state.d ^= word;
    state.Round();
    state.Round();
    state.a ^= word;
  }
  std::uint64_t last = length << 56;
  for (std::size_t i = 0; i < text.size(); ++i)
    last |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  state.d ^= last;
  state.Round();
  state.Round();
  state.a ^= last;
  state.c ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace rankscope::tools
