#include "insight/evidence/awkward_size.h"

#include <charconv>
#include <span>
#include <vector>

namespace rankscope {
namespace {

// The inputs' sizes; what is no number ends a list.
std::vector<std::vector<std::int64_t>> ListsIn(std::string_view text) {
  std::vector<std::vector<std::int64_t>> lists;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    if (*at == '[') lists.emplace_back();
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error == std::errc() && !lists.empty()) lists.back().push_back(size);
    at = next > at ? next : at + 1;
  }
  return lists;
}

std::span<const std::int64_t> SizesThatMatter(const std::vector<std::int64_t>& list,
                                              bool is_convolution) {
  const std::span<const std::int64_t> all(list);
  if (!is_convolution) return list.size() < 2 ? std::span<const std::int64_t>() : all.last(2);
  return list.size() < 4 ? std::span<const std::int64_t>() : all.first(2);
}

}  // namespace

bool IsAwkwardSize(std::int64_t size) {
  constexpr std::int64_t kLeast = 16;
  return size >= kLeast && (size % 8 != 0 || 10 * (PaddedSize(size) - size) > size);
}

std::optional<std::int64_t> AwkwardSizeIn(std::string_view shapes, bool is_convolution) {
  std::optional<std::int64_t> largest;
  for (const std::vector<std::int64_t>& list : ListsIn(shapes)) {
    for (const std::int64_t size : SizesThatMatter(list, is_convolution)) {
      if (IsAwkwardSize(size) && size > largest.value_or(0)) largest = size;
    }
  }
  return largest;
}

}  // namespace rankscope
