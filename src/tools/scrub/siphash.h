// SipHash-2-4 (Aumasson, Bernstein 2012): a short keyed hash. Without the key its values look
// random, so nobody can find a replaced word by trying words.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::tools {

struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

std::uint64_t SipHash(const SipKey& key, std::string_view text);

}  // namespace rankscope::tools
