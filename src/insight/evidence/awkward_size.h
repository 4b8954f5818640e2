// Sizes of products that their kernels take badly: matrix cores multiply tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// A size of 16 and more that is no multiple of 8 (rows of 16-bit values do not begin at 16 bytes
// then), or that the next multiple of 64 (a tile) exceeds by over a tenth. Smaller ones are given
// by the data: the colours of an image, the groups of a convolution.
bool IsAwkwardSize(std::int64_t size);

// The next multiple of 64.
inline std::int64_t PaddedSize(std::int64_t size) { return (size + 63) / 64 * 64; }

// Of each input its sizes: "[[768], [16384, 768]]". What is no number ends a list.
std::vector<std::vector<std::int64_t>> SizesOf(std::string_view shapes);

// The largest of the sizes that are awkward, of matrices the last two of each input, of
// convolutions the channels: the first two of each input with four or five. `shapes` is what a
// profiler records: "[[768], [16384, 768], [768, 50257]]".
std::optional<std::int64_t> AwkwardSizeIn(std::string_view shapes, bool is_convolution);

}  // namespace rankscope
