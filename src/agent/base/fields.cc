#include "agent/base/fields.h"

#include <charconv>
#include <cmath>

namespace rankscope::agent {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

}  // namespace

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

std::optional<double> NumberOf(std::string_view word) {
  const std::size_t first = word.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return std::nullopt;
  word = word.substr(first, word.find_last_not_of(kBlank) - first + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace rankscope::agent
