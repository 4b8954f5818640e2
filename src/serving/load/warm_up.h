// The place where a series of values becomes steady.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rankscope::serving {

// MSER-5 (White 1997): the values are averaged by fives. As many are left out at the begin as make
// the variance of the mean of the rest, sum (x - mean)^2 / n^2, least. Returns that number of
// values. nullopt if it would be over half, so the series never becomes steady, or if there are
// fewer than 50 values. O(n).
std::optional<std::size_t> WarmUpOf(std::span<const double> values);

}  // namespace rankscope::serving
