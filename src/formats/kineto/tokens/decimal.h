// Numbers of a trace, exactly: decimal text to integers, never through a double.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::kineto {

// Converts decimal microseconds ("12", "-12.345", "1.5e3") to nanoseconds. Digits below a
// nanosecond are rounded half to even. False when the text is not a number or the result does not
// fit into 63 bits.
bool ParseMicros(std::string_view text, std::int64_t& nanos);

// Converts an integer, also one written as "12.0" or "1e3"; false when it is not a whole number or
// does not fit.
bool ParseInteger(std::string_view text, std::int64_t& value);

}  // namespace rankscope::kineto
