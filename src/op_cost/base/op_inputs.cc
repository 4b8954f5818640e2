#include "op_cost/base/op_inputs.h"

#include <array>
#include <charconv>
#include <utility>

namespace rankscope {
namespace {

const Shape kNoShape;

// Reads JSON lists of whole numbers, lists and plain strings.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  bool Take(char c) {
    SkipSpace();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Sees(char c) {
    SkipSpace();
    return !text_.empty() && text_.front() == c;
  }
  bool TakeInt(std::int64_t& value) {
    SkipSpace();
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }
  bool TakeString(std::string_view& value) {
    if (!Take('"')) return false;
    const std::size_t end = text_.find('"');
    if (end == std::string_view::npos) return false;
    value = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }

 private:
  void SkipSpace() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }
  std::string_view text_;
};

// "[a, b]" with an item reader; the opening bracket is taken already.
template <typename TakeItem>
bool TakeRest(ListReader& reader, const TakeItem& take_item) {
  if (reader.Take(']')) return true;
  do {
    if (!take_item()) return false;
  } while (reader.Take(','));
  return reader.Take(']');
}

bool TakeShape(ListReader& reader, Shape& shape) {
  return TakeRest(reader, [&] {
    std::int64_t size = 0;
    if (!reader.TakeInt(size) || size < 0) return false;
    shape.push_back(size);
    return true;
  });
}

// A shape, or a list of shapes.
bool TakeInput(ListReader& reader, OpInput& input) {
  if (!reader.Take('[')) return false;
  if (!reader.Sees('[')) return TakeShape(reader, input.shapes.emplace_back());
  return TakeRest(
      reader, [&] { return reader.Take('[') && TakeShape(reader, input.shapes.emplace_back()); });
}

std::vector<std::string_view> ParseStrings(std::string_view text) {
  ListReader reader(text);
  std::vector<std::string_view> strings;
  const bool is_list = reader.Take('[') &&
                       TakeRest(reader, [&] { return reader.TakeString(strings.emplace_back()); });
  return is_list ? strings : std::vector<std::string_view>();
}

}  // namespace

const Shape& OpInput::shape() const { return shapes.size() == 1 ? shapes.front() : kNoShape; }

std::optional<std::vector<OpInput>> ParseInputs(std::string_view dims, std::string_view types,
                                                std::string_view concrete) {
  ListReader reader(dims);
  std::vector<OpInput> inputs;
  const bool is_list = reader.Take('[') &&
                       TakeRest(reader, [&] { return TakeInput(reader, inputs.emplace_back()); });
  if (!is_list) return std::nullopt;
  const std::vector<std::string_view> names = ParseStrings(types);
  const std::vector<std::string_view> values = ParseStrings(concrete);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i < names.size()) inputs[i].dtype = names[i];
    if (i < values.size()) inputs[i].value = values[i];
  }
  return inputs;
}

std::optional<std::int64_t> ElementsOf(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(elements, size, &elements)) return std::nullopt;
  }
  return elements;
}

Shape ParseIntList(std::string_view text) {
  ListReader reader(text);
  Shape shape;
  if (!reader.Take('[') || !TakeShape(reader, shape)) return {};
  return shape;
}

std::optional<double> BytesOfDtype(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, double>, 27> kSizes = {{
      {"float", 4},
      {"double", 8},
      {"c10::BFloat16", 2},
      {"c10::Half", 2},
      {"at::BFloat16", 2},
      {"at::Half", 2},
      {"long int", 8},
      {"long", 8},
      {"int", 4},
      {"short", 2},
      {"short int", 2},
      {"signed char", 1},
      {"unsigned char", 1},
      {"char", 1},
      {"bool", 1},
      {"c10::Float8_e4m3fn", 1},
      {"c10::Float8_e5m2", 1},
      {"c10::Float8_e4m3fnuz", 1},
      {"c10::Float8_e5m2fnuz", 1},
      {"c10::complex<float>", 8},
      {"c10::complex<double>", 16},
      {"unsigned int", 4},
      {"OpaqueType<1u>", 1},
      {"OpaqueType<2u>", 2},
      {"OpaqueType<4u>", 4},
      {"OpaqueType<8u>", 8},
      {"OpaqueType<16u>", 16},
  }};
  for (const auto& [name, bytes] : kSizes) {
    if (name == dtype) return bytes;
  }
  return std::nullopt;
}

bool IsFloatingPoint(std::string_view dtype) {
  if (dtype == "float" || dtype == "double") return true;
  return dtype.starts_with("c10::Float8") || dtype.ends_with("::BFloat16") ||
         dtype.ends_with("::Half");
}

}  // namespace rankscope
