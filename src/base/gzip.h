// Bytes as a gzip file (RFC 1952) and back, whole in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

enum class GzipEffort : std::uint8_t {
  kFast,   // zlib's level 1: some 100 MB/s
  kSmall,  // zlib's level 9: for what is written once and read often
};

// Throws std::bad_alloc without memory.
std::string PackGzip(std::string_view bytes, GzipEffort effort);
// kBadData for what is no gzip file, is cut short, or holds more than `most_bytes`.
Result<std::string> UnpackGzip(std::string_view packed, std::size_t most_bytes);

}  // namespace rankscope
