// Sets of numbers as people type and read them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope {

// Parses "0,2,5-7" as {0, 2, 5, 6, 7}. An error quotes the wrong part. At most a million numbers.
Result<std::set<std::int64_t>> ParseNumberSet(std::string_view text);
// The inverse, as tables show it: "0-3,8" of ranks or steps, each once, ascending.
std::string RangesText(std::vector<std::int64_t> numbers);
// The same in a sentence: "0-3, 8".
std::string RangesWords(std::vector<std::int64_t> numbers);

// "512M", "32g", "1000" in bytes (powers of 1024).
Result<std::uint64_t> ParseByteSize(std::string_view text);

}  // namespace rankscope
