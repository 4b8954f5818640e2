#include "insight/evidence/awkward_size.h"

#include <algorithm>
#include <charconv>

namespace rankscope {
namespace {

constexpr std::size_t kLeastOfConvolution = 4;  // sizes: images, channels, two dimensions

using Sizes = std::vector<std::int64_t>;

// Of an image and its weight, or of a gradient, an image and its weight.
std::size_t CountImages(const std::vector<Sizes>& lists) {
  const auto tensors = std::ranges::count_if(
      lists, [](const Sizes& list) { return list.size() >= kLeastOfConvolution; });
  return tensors > 2 ? 2 : 1;
}

std::vector<std::int64_t> SizesThatMatter(std::string_view shapes, bool is_convolution) {
  const std::vector<Sizes> lists = SizesOf(shapes);
  std::vector<std::int64_t> sizes;
  const std::size_t images = is_convolution ? CountImages(lists) : 0;
  std::size_t seen = 0;
  for (const Sizes& list : lists) {
    if (!is_convolution) {
      if (list.size() >= 2) sizes.insert(sizes.end(), list.end() - 2, list.end());
    } else if (list.size() >= kLeastOfConvolution) {
      if (seen++ >= images) sizes.push_back(list[0]);
      sizes.push_back(list[1]);
    }
  }
  return sizes;
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
  return size >= kLeast && size % 8 != 0;
}

std::optional<std::int64_t> AwkwardSizeIn(std::string_view shapes, bool is_convolution) {
  std::optional<std::int64_t> largest;
  for (const std::int64_t size : SizesThatMatter(shapes, is_convolution)) {
    if (IsAwkwardSize(size) && size > largest.value_or(0)) largest = size;
  }
  return largest;
}

}  // namespace rankscope
