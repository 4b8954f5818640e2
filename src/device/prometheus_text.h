// Numbers of a Prometheus page (text format 0.0.4), as another program tells them.
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

  // Empty without it.
  std::string_view Label(std::string_view key) const;
};

struct TextSamples {
  std::vector<TextSample> samples;
  std::size_t unreadable = 0;  // lines that are none
};

// Comments and what follows the value (a time) are left out; so are NaN and infinities, which are
// no numbers here. The first kMostSamples. O(text).
inline constexpr std::size_t kMostSamples = 100'000;
TextSamples ParsePrometheusText(std::string_view text);

}  // namespace rankscope::device
