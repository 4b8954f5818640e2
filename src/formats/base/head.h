// The begin of a file, by which its format is told.
#pragma once

#include <cstddef>
#include <string>

#include "formats/base/byte_source.h"

namespace rankscope {

// Bytes of the content, inflated, that tell a format.
inline constexpr std::size_t kHeadBytes = 4096;

// The first kHeadBytes, or all there are; "" when the file cannot be read.
std::string HeadOf(const std::string& path, const InflateLimits& limits = {});

}  // namespace rankscope
