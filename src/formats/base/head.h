// The first bytes of a file, which identify its format.
#pragma once

#include <cstddef>
#include <string>

#include "formats/base/byte_source.h"

namespace rankscope {

// Number of bytes of the inflated content that identify a format.
inline constexpr std::size_t kHeadBytes = 4096;

// The first kHeadBytes, or all there are; "" when the file cannot be read.
std::string HeadOf(const std::string& path, const InflateLimits& limits = {});

}  // namespace rankscope
