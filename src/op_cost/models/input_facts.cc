#include "op_cost/models/input_facts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

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

std::optional<std::int64_t> IntOf(Inputs inputs, std::size_t i) {
  const std::string_view text = ValueOf(inputs, i);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> FlagOf(Inputs inputs, std::size_t i) {
  const std::string_view text = ValueOf(inputs, i);
  if (text == "True") return true;
  return text == "False" ? std::optional(false) : std::nullopt;
}

Shape IntsOf(Inputs inputs, std::size_t i, std::size_t count) {
  Shape ints;
  if (const auto one = IntOf(inputs, i); one && *one >= 0) {
    ints = {*one};
  } else {
    ints = ParseIntList(ValueOf(inputs, i));
  }
  if (ints.size() == 1) ints.resize(count, ints.front());
  return ints.size() == count ? ints : Shape();
}

std::optional<double> BytesOf(Inputs inputs, std::size_t i) {
  if (!HasTensor(inputs, i)) return 0;
  const auto bytes = BytesOfDtype(inputs[i].dtype);
  return bytes ? std::optional(*bytes * Size(inputs[i].shape())) : std::nullopt;
}

double SizeOfList(Inputs inputs, std::size_t i) {
  double elements = 0;
  if (i < inputs.size()) {
    for (const Shape& shape : inputs[i].shapes) elements += Size(shape);
  }
  return elements;
}

std::string_view Promoted(std::string_view a, std::string_view b) {
  if (IsFloatingPoint(a) != IsFloatingPoint(b)) return IsFloatingPoint(a) ? a : b;
  return BytesOfDtype(b).value_or(0) > BytesOfDtype(a).value_or(0) ? b : a;
}

bool IsMultiple(std::int64_t elements, double bytes) {
  return std::fmod(static_cast<double>(elements) * bytes, 16) == 0;
}

bool AreSmall(const Shape& sizes) {
  return std::ranges::all_of(
      sizes, [](std::int64_t size) { return size >= 0 && size <= std::int64_t{INT32_MAX}; });
}

}  // namespace rankscope
