// Parses numbers of a Prometheus page (text format 0.0.4) from another program.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::device {

struct TextSample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;

  // Empty if it is missing.
  std::string_view Label(std::string_view key) const;
};

struct TextSamples {
  std::vector<TextSample> samples;
  std::size_t unreadable = 0;  // invalid lines
};

// Skips comments, and the timestamp after a value. Also skips NaN and infinities, which do not
// count as numbers here. Returns the first kMostSamples. O(text).
inline constexpr std::size_t kMostSamples = 100'000;
TextSamples ParsePrometheusText(std::string_view text);

}  // namespace rankscope::device
