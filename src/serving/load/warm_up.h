// Where a series of values becomes steady.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rankscope::serving {

// MSER-5 (White 1997): the values in means of five each, of which so many at the begin are left out
// that the variance of the mean of the rest, sum (x - mean)^2 / n^2, is least. Returns how many
// values that are; nullopt where it would be over half, that is where the series never becomes
// steady, or where there are fewer than 50 values. O(n).
std::optional<std::size_t> WarmUpOf(std::span<const double> values);

}  // namespace rankscope::serving
