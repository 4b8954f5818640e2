#include "post_training/steps/padding.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope::post_training {

double Padding::Share() const {
  return padded > 0 ? 1 - static_cast<double>(tokens) / static_cast<double>(padded) : 0;
}

std::optional<Padding> PaddingOf(const std::vector<Sequence>& sequences) {
  if (sequences.empty()) return std::nullopt;
  using Key = std::pair<std::int64_t, std::int64_t>;
  std::map<Key, std::int64_t> longest;
  for (const Sequence& one : sequences) {
    std::int64_t& most = longest[{one.step, one.micro_batch}];
    most = std::max(most, one.tokens);
  }
  Padding result{.sequences = static_cast<std::int64_t>(sequences.size()),
                 .micro_batches = static_cast<std::int64_t>(longest.size())};
  for (const Sequence& one : sequences) {
    result.tokens += one.tokens;
    result.padded += one.padded.value_or(longest[{one.step, one.micro_batch}]);
    result.longest = std::max(result.longest, static_cast<double>(one.tokens));
  }
  result.mean_length = static_cast<double>(result.tokens) / static_cast<double>(result.sequences);
  return result;
}

}  // namespace rankscope::post_training
