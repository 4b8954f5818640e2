// A label's value in Prometheus' text format.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// Quotes, backslashes and line ends are escaped, as the format demands:
// prometheus.io/docs/instrumenting/exposition_formats.
std::string EscapedLabel(std::string_view value);

}  // namespace rankscope
