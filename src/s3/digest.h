// SHA-256 and HMAC-SHA-256, as needed for S3 signatures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::s3 {

// 64 lower-case digits.
std::string HexSha256(std::string_view text);
// Hash of `bytes` bytes of a file from `offset` on. kIo if they cannot be read.
Result<std::string> HexSha256OfPart(const std::string& path, std::uint64_t offset,
                                    std::uint64_t bytes);
// 32 bytes.
std::string HmacSha256(std::string_view key, std::string_view text);
std::string Hex(std::string_view bytes);
// Converts a checksum from hexadecimal digits to S3's header format; "" for invalid
// digits.
std::string Base64OfHex(std::string_view hex);

// Hash of the empty text.
inline constexpr std::string_view kEmptySha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

}  // namespace rankscope::s3
