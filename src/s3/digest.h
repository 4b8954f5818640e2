// SHA-256 and HMAC-SHA-256, as signatures of S3 need them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::s3 {

// 64 lower-case digits.
std::string HexSha256(std::string_view text);
// Of `bytes` bytes of a file from `offset` on. kIo when they cannot be read.
Result<std::string> HexSha256OfPart(const std::string& path, std::uint64_t offset,
                                    std::uint64_t bytes);
// 32 bytes.
std::string HmacSha256(std::string_view key, std::string_view text);
std::string Hex(std::string_view bytes);
// As S3 writes checksums in headers, of one that is written in hexadecimal digits; "" for what is
// none.
std::string Base64OfHex(std::string_view hex);

// Of no bytes at all.
inline constexpr std::string_view kEmptySha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

}  // namespace rankscope::s3
