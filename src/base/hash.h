// 128-bit content hashes (XXH3) for cache keys and checksums. Not cryptographic: a damaged file is
// found, a forged one is not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  std::string Hex() const;  // 32 lower-case digits
};

Hash128 HashBytes(const void* data, std::size_t size);
inline Hash128 HashBytes(std::string_view text) { return HashBytes(text.data(), text.size()); }

// 64-bit checksum of a block of memory.
std::uint64_t Checksum64(const void* data, std::size_t size);

}  // namespace rankscope
