#include "base/number_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace rankscope {
namespace {

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<std::set<std::int64_t>> ParseNumberSet(std::string_view text) {
  constexpr std::uint64_t kMost = 1'000'000;
  const auto wrong = [](std::string_view part) {
    return Error(StatusCode::kInvalidArgument, "'{}' is not a number or range such as 0,2,5-7",
                 part);
  };
  std::set<std::int64_t> numbers;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t dash = part.find('-', 1);
    const auto first = Number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : Number(part.substr(dash + 1));
    if (!first || !last || *last < *first) return wrong(part);
    const std::uint64_t more =
        static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
    if (more >= kMost || numbers.size() + more >= kMost) {
      return Error(StatusCode::kInvalidArgument, "'{}' names more than a million numbers", part);
    }
    for (std::uint64_t i = 0; i <= more; ++i) numbers.insert(*first + static_cast<std::int64_t>(i));
  }
  if (numbers.empty()) return wrong(text);
  return numbers;
}

std::string RangesText(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string RangesWords(std::vector<std::int64_t> numbers) {
  std::string list = RangesText(std::move(numbers));
  for (std::size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 2)
    list.replace(at, 1, ", ");
  return list;
}

Result<std::uint64_t> ParseByteSize(std::string_view text) {
  const std::string_view whole = text;
  int shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      case 't':
      case 'T':
        shift = 40;
        break;
      default:
        break;
    }
    if (shift != 0) text.remove_suffix(1);
  }
  const auto number = Number(text);
  if (!number || *number < 0 || *number > (INT64_MAX >> shift)) {
    return Error(StatusCode::kInvalidArgument, "'{}' is not a size such as 512M or 32G", whole);
  }
  return static_cast<std::uint64_t>(*number) << shift;
}

}  // namespace rankscope
