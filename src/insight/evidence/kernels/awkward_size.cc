#include "insight/evidence/kernels/awkward_size.h"

#include <algorithm>
#include <charconv>

namespace rankscope {
namespace {

constexpr std::size_t kLeastOfConvolution = 4;  // sizes: images, channels, two dimensions

using Sizes = std::vector<std::int64_t>;

// Of the dimensions behind images and channels: a weight's are those of its kernel, which is
// smaller than the images. Where both are of one point, nothing tells, and it counts as an image.
std::int64_t PointsOf(const Sizes& list) {
  std::int64_t points = 1;
  for (std::size_t i = 2; i < list.size(); ++i) points *= list[i];
  return points;
}

std::vector<std::int64_t> SizesThatMatter(std::string_view shapes, bool is_convolution) {
  const std::vector<Sizes> lists = SizesOf(shapes);
  std::vector<std::int64_t> sizes;
  std::int64_t largest = 0;
  for (const Sizes& list : lists) {
    if (list.size() >= kLeastOfConvolution) largest = std::max(largest, PointsOf(list));
  }
  for (const Sizes& list : lists) {
    if (!is_convolution) {
      if (list.size() >= 2) sizes.insert(sizes.end(), list.end() - 2, list.end());
    } else if (list.size() >= kLeastOfConvolution) {
      if (PointsOf(list) < largest) sizes.push_back(list[0]);
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

std::int64_t PaddedSize(std::int64_t size) {
  const std::int64_t tiles = (size + 63) / 64 * 64;
  return 100 * (tiles - size) <= 3 * size ? tiles : (size + 7) / 8 * 8;
}

std::optional<std::int64_t> AwkwardSizeIn(std::string_view shapes, bool is_convolution) {
  std::optional<std::int64_t> largest;
  for (const std::int64_t size : SizesThatMatter(shapes, is_convolution)) {
    if (IsAwkwardSize(size) && size > largest.value_or(0)) largest = size;
  }
  return largest;
}

}  // namespace rankscope
