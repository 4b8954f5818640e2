// Queries of cost models about an op's inputs. An index beyond the end means an input without a
// tensor and without a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "op_cost/base/op_inputs.h"

namespace rankscope {

using Inputs = std::span<const OpInput>;

// Number of elements as a double; 0 if it is not a tensor.
double Size(const Shape& shape);
bool HasTensor(Inputs inputs, std::size_t i);
const Shape& ShapeOf(Inputs inputs, std::size_t i);
std::string_view ValueOf(Inputs inputs, std::size_t i);
std::optional<std::int64_t> IntOf(Inputs inputs, std::size_t i);
std::optional<bool> FlagOf(Inputs inputs, std::size_t i);
// "[3, 3]"; "[3]" and "3" mean the same value for all `count` dimensions; empty if not recorded.
Shape IntsOf(Inputs inputs, std::size_t i, std::size_t count);
// Bytes of a tensor; 0 if it is not a tensor, nullopt if its dtype is unknown.
std::optional<double> BytesOf(Inputs inputs, std::size_t i);
// Elements of all tensors of a list, or of a tensor.
double SizeOfList(Inputs inputs, std::size_t i);
// The dtype in which PyTorch computes: the floating-point one, otherwise the wider one.
std::string_view Promoted(std::string_view a, std::string_view b);
// Whether `elements` elements of `bytes` bytes are a multiple of 16 bytes, as matrix cores need.
bool IsMultiple(std::int64_t elements, double bytes);
// Whether all of them are below 2^31, so that a product of two does not overflow.
bool AreSmall(const Shape& sizes);

}  // namespace rankscope
