// What cost models ask about an op's inputs. Indices beyond the end are inputs without a tensor and
// without a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/roofline/op_inputs.h"

namespace rankscope {

using Inputs = std::span<const OpInput>;

// Elements as a double; 0 for what is no tensor.
double Size(const Shape& shape);
bool HasTensor(Inputs inputs, std::size_t i);
const Shape& ShapeOf(Inputs inputs, std::size_t i);
std::string_view ValueOf(Inputs inputs, std::size_t i);
// Whether so many elements of so many bytes are a multiple of 16 bytes, as matrix cores need.
bool IsMultiple(std::int64_t elements, double bytes);

}  // namespace rankscope
