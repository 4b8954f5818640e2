#include "analysis/roofline/op_cost/input_facts.h"

namespace rankscope {

double Size(const Shape& shape) {
  if (shape.empty()) return 0;
  double elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

bool HasTensor(Inputs inputs, std::size_t i) { return i < inputs.size() && inputs[i].is_tensor(); }

const Shape& ShapeOf(Inputs inputs, std::size_t i) {
  static const Shape kNone;
  return i < inputs.size() ? inputs[i].shape() : kNone;
}

std::string_view ValueOf(Inputs inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i].value : std::string_view();
}

bool IsMultiple(std::int64_t elements, double bytes) {
  return static_cast<std::int64_t>(static_cast<double>(elements) * bytes) % 16 == 0;
}

}  // namespace rankscope
