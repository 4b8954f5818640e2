// SipHash-2-4 (Aumasson, Bernstein 2012): a short hash that nobody without the key can tell from
// chance, so that who sees a replacement cannot try words until one fits.
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
