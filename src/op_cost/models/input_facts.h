// What cost models ask about an op's inputs. Indices beyond the end are inputs without a tensor and
// without a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "op_cost/base/op_inputs.h"

namespace rankscope {

using Inputs = std::span<const OpInput>;

// Elements as a double; 0 for what is no tensor.
double Size(const Shape& shape);
bool HasTensor(Inputs inputs, std::size_t i);
const Shape& ShapeOf(Inputs inputs, std::size_t i);
std::string_view ValueOf(Inputs inputs, std::size_t i);
std::optional<std::int64_t> IntOf(Inputs inputs, std::size_t i);
std::optional<bool> FlagOf(Inputs inputs, std::size_t i);
// "[3, 3]", or "[3]" and "3" for the same along all of `count` dimensions; empty when not recorded.
Shape IntsOf(Inputs inputs, std::size_t i, std::size_t count);
// Bytes of a tensor; 0 for what is no tensor, nullopt when its dtype is not known.
std::optional<double> BytesOf(Inputs inputs, std::size_t i);
// Elements of all tensors of a list, or of a tensor.
double SizeOfList(Inputs inputs, std::size_t i);
// The dtype that PyTorch computes with: the one with a fraction, else the wider.
std::string_view Promoted(std::string_view a, std::string_view b);
// Whether so many elements of so many bytes are a multiple of 16 bytes, as matrix cores need.
bool IsMultiple(std::int64_t elements, double bytes);
// Whether all of them are below 2^31, so that products of two do not overflow.
bool AreSmall(const Shape& sizes);

}  // namespace rankscope
