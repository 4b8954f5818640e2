#include "insight/evidence/awkward_size.h"

#include <charconv>
#include <span>

namespace rankscope {
namespace {

std::span<const std::int64_t> SizesThatMatter(const std::vector<std::int64_t>& list,
                                              bool is_convolution) {
  const std::span<const std::int64_t> all(list);
  if (!is_convolution) return list.size() < 2 ? std::span<const std::int64_t>() : all.last(2);
  return list.size() < 4 ? std::span<const std::int64_t>() : all.first(2);
}

}  // namespace

std::vector<std::vector<std::int64_t>> SizesOf(std::string_view shapes) {
  std::vector<std::vector<std::int64_t>> lists;
  if (shapes.empty()) return lists;
  const char* const end = shapes.data() + shapes.size();
  for (const char* at = shapes.data() + 1; at != end;) {
    if (*at == '[') lists.emplace_back();
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error == std::errc() && !lists.empty()) lists.back().push_back(size);
    at = next > at ? next : at + 1;
  }
  return lists;
}

bool IsAwkwardSize(std::int64_t size) {
  constexpr std::int64_t kLeast = 16;
  return size >= kLeast && (size % 8 != 0 || 10 * (PaddedSize(size) - size) > size);
}

std::optional<std::int64_t> AwkwardSizeIn(std::string_view shapes, bool is_convolution) {
  std::optional<std::int64_t> largest;
  for (const std::vector<std::int64_t>& list : SizesOf(shapes)) {
    for (const std::int64_t size : SizesThatMatter(list, is_convolution)) {
      if (IsAwkwardSize(size) && size > largest.value_or(0)) largest = size;
    }
  }
  return largest;
}

}  // namespace rankscope
