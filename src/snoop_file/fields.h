// Field declarations that both kinds of windows share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/fields.h"

namespace rankscope::snoop_file {

// Upper limit of numbers from a file; larger ones are cut to it.
inline constexpr std::int64_t kMost = std::int64_t{1} << 62;
inline constexpr std::size_t kMostRows = 100'000;
inline constexpr std::size_t kMostFrames = 300;
inline constexpr std::size_t kMostParts = 10'000;
inline constexpr std::size_t kMostSentences = 1000;

// A number that is not negative.
inline json::Field Count(std::string_view name, std::string_view doc, std::string_view unit = "") {
  return {.name = name, .doc = doc, .unit = unit, .least = 0, .most = kMost};
}

}  // namespace rankscope::snoop_file
