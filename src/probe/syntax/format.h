// Formats specifications: one layout for all, so that a change shows only what changed.
//
// Statements are indented by four spaces and joined into one line; a line longer than
// kMostFormattedColumns is broken at its longest bracket, first all elements on a line of their
// own, else one element per line with a comma behind each. So is a bracket whose last element has a
// comma behind it. Two blank lines separate classes, and at most one stands within a class.
// Comments stay; one in the middle of an expression moves above it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probe/syntax/diagnostic.h"

namespace rankscope::probe {

inline constexpr std::size_t kMostFormattedColumns = 120;

// Means what `text` means, and formats to itself. nullopt if the syntax is wrong, which
// `diagnostics` says then. O(bytes * depth of brackets).
std::optional<std::string> Format(std::string_view text, Diagnostics& diagnostics);

}  // namespace rankscope::probe
