// Numbers for people, rounded for a quick look. Programs get the raw value instead.
#pragma once

#include <cstdint>
#include <string>

namespace rankscope {

// 1234567 -> "1,234,567".
std::string GroupedInteger(std::int64_t value);

// Nanoseconds in three significant digits and a suitable unit: "812 us", "12.3 ms", "4.56 s". Whole
// nanoseconds below a microsecond stay whole.
std::string HumanDuration(double ns);

// Milliseconds as HumanDuration; from an hour on in hours: "12.3 h".
std::string HumanMilliseconds(double ms);
// Decimal bytes in three significant digits: "812 B", "1.50 kB", "26.4 GB".
std::string HumanBytes(double bytes);

// One digit after the point: "12.3%"; none from 100% on: "156%"; from ten times on a factor:
// "x13,400".
std::string HumanPercent(double percent);

// A number without a known unit: three significant digits, whole numbers in full, grouped; very big
// and very small ones with an exponent.
std::string HumanDecimal(double value);

}  // namespace rankscope
