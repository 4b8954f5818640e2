#include "job/rank_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace rankscope {
namespace {

// Takes a number off the front.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool TakeSign(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

// The ranks of a list that shows only its begin.
std::vector<std::int64_t> Continued(std::vector<std::int64_t> ranks, std::int64_t size) {
  if (ranks.size() < 3 || size > kMostGroupRanks) return {};
  const std::int64_t stride = ranks[1] - ranks[0];
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride || stride <= 0) return {};
  }
  std::int64_t last = 0;
  if (size < static_cast<std::int64_t>(ranks.size()) ||
      __builtin_mul_overflow(stride, size, &last) || __builtin_add_overflow(last, ranks[0], &last))
    return {};
  while (static_cast<std::int64_t>(ranks.size()) < size) ranks.push_back(ranks.back() + stride);
  return ranks;
}

}  // namespace

std::vector<std::int64_t> RanksOfText(std::string_view text, std::int64_t size) {
  if (!text.starts_with('[') || !text.ends_with(']')) return {};
  text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> ranks;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text == "...") return Continued(std::move(ranks), size);
    const auto rank = TakeNumber(text);
    if (!rank || (!text.empty() && !TakeSign(text, ','))) return {};
    ranks.push_back(*rank);
  }
  return ranks;
}

std::string PackRanks(std::span<const std::int64_t> ranks) {
  std::string text;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    const std::int64_t stride = end < ranks.size() ? ranks[end] - ranks[begin] : 0;
    while (stride > 0 && end < ranks.size() && ranks[end] - ranks[end - 1] == stride) ++end;
    // A run is worth its signs from three on.
    if (end - begin < 3) end = begin + 1;
    if (!text.empty()) text += ',';
    fmt::format_to(std::back_inserter(text), "{}", ranks[begin]);
    if (end - begin > 1) fmt::format_to(std::back_inserter(text), "-{}", ranks[end - 1]);
    if (end - begin > 1 && stride > 1) fmt::format_to(std::back_inserter(text), "/{}", stride);
    begin = end;
  }
  return text;
}

std::vector<std::int64_t> UnpackRanks(std::string_view text) {
  std::vector<std::int64_t> ranks;
  while (!text.empty()) {
    const auto first = TakeNumber(text);
    if (!first) return {};
    std::optional<std::int64_t> last = first;
    std::optional<std::int64_t> stride = 1;
    if (TakeSign(text, '-')) last = TakeNumber(text);
    if (last != first && TakeSign(text, '/')) stride = TakeNumber(text);
    if (!last || !stride || *stride < 1 || *last < *first) return {};
    const std::int64_t more = (*last - *first) / *stride;
    if (more >= kMostGroupRanks - static_cast<std::int64_t>(ranks.size())) return {};
    for (std::int64_t i = 0; i <= more; ++i) ranks.push_back(*first + i * *stride);
    if (!text.empty() && !TakeSign(text, ',')) return {};
  }
  return ranks;
}

}  // namespace rankscope
