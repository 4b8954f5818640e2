#include "base/hash.h"

#include <fmt/core.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace rankscope {

std::string Hash128::Hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash128 HashBytes(const void* data, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return {hash.high64, hash.low64};
}

std::uint64_t Checksum64(const void* data, std::size_t size) { return XXH3_64bits(data, size); }

}  // namespace rankscope
