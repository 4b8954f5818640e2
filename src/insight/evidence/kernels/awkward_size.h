// Sizes of products that are inefficient for kernels: matrix cores multiply tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// A size of at least 16 that is not a multiple of 8: rows of 16-bit values are not aligned to 16
// bytes, which slower kernels load, or copies come before them. Smaller sizes follow from the data:
// the colours of an image, the groups of a convolution. A size that does not fill its last tile
// (96 of 128) is none: padding it takes the same kernels as long.
bool IsAwkwardSize(std::int64_t size);

// The next multiple of 64, whole tiles, where that is at most 3% more; else that of 8.
std::int64_t PaddedSize(std::int64_t size);

// The sizes of each input: "[[768], [16384, 768]]". A list ends at the first non-number.
std::vector<std::vector<std::int64_t>> SizesOf(std::string_view shapes);

// The largest of the sizes that are awkward: of matrices the last two of each input; of
// convolutions the channels, which are the first two sizes of a weight and the second of images and
// their gradients (a weight's kernel is smaller than an image). `shapes` is what a profiler
// records:
// "[[768], [16384, 768], [768, 50257]]".
std::optional<std::int64_t> AwkwardSizeIn(std::string_view shapes, bool is_convolution);

}  // namespace rankscope
