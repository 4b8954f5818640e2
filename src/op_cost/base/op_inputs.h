// Parses the inputs of an op, as Kineto records them, from text to numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

using Shape = std::vector<std::int64_t>;

// One input: a tensor has one shape, a list of tensors has several, a scalar has the empty shape.
struct OpInput {
  std::vector<Shape> shapes;  // one entry unless it is a list
  std::string_view dtype;     // "c10::BFloat16", "Scalar", ...; empty when not recorded
  std::string_view value;     // of a scalar, as text; empty when not recorded

  const Shape& shape() const;  // of a tensor; empty for a list
  bool is_tensor() const { return !shape().empty(); }
};

// "Input Dims" '[[8, 4], [], [[2, 2], [3]]]', "Input type" '["float", "Scalar"]' and "Concrete
// Inputs" '["", "1"]' (JSON text; the last two may be empty). nullopt if the dimensions are
// missing, are not such a list, or contain a negative number. Views point into the texts.
std::optional<std::vector<OpInput>> ParseInputs(std::string_view dims, std::string_view types,
                                                std::string_view concrete);

// Product of the dimensions; nullopt if it exceeds int64.
std::optional<std::int64_t> ElementsOf(const Shape& shape);

// "[16, 16]" -> {16, 16}; empty for anything else.
Shape ParseIntList(std::string_view text);

// Bytes per element of a dtype in PyTorch's notation ("float", "c10::Half", "long int"); nullopt if
// it is not numeric. Also for "OpaqueType<2u>", the name of an element of any kind in PyTorch's
// copy kernels.
std::optional<double> BytesOfDtype(std::string_view dtype);
// Whether the dtype is a real floating-point type: no integers, no booleans, no complex
// numbers.
bool IsFloatingPoint(std::string_view dtype);

}  // namespace rankscope
