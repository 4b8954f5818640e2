// Formatting of values with units and names of metrics in reports (schemas/words.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// "communication_hidden_time" in "ns/step" -> "hidden communication time per step".
std::string MetricLabel(std::string_view metric, std::string_view unit);

// A value for people by its unit: "12.3 ms", "87.5%", "1.5 GB"; "?" when unknown. "ns/step" is
// written like "ns".
std::string HumanValue(std::optional<double> value, std::string_view unit);

// Numbers in ascending order as ranges, up to a maximum: "0-3, 7, 32-47, ...".
std::string Ranges(std::span<const std::int64_t> numbers, std::size_t most = 8);

// "the device waits" -> "The device waits.". A word of letters alone is capitalised; names of ops
// and the like stay as they are.
std::string AsSentence(std::string text);

// "1 rank", "8 ranks".
std::string Plural(std::size_t count, std::string_view one);

}  // namespace rankscope
