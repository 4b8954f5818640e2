#include "probe/library/decode.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace rankscope::probe {
namespace {

template <typename T>
T As(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <typename T>
Value Signed(std::string_view bytes) {
  return {std::int64_t{As<T>(bytes)}};
}

// Numbers of enums are int64 whatever their width.
template <typename T>
Value Unsigned(std::string_view bytes, bool is_enum) {
  const std::uint64_t value = As<T>(bytes);
  return is_enum ? Value{static_cast<std::int64_t>(value)} : Value{value};
}

Value DecodeOne(const Layout& layout, std::string_view bytes) {
  const bool is_enum = layout.enum_of >= 0;
  switch (layout.width) {
    case Width::kI8:
      return Signed<std::int8_t>(bytes);
    case Width::kI16:
      return Signed<std::int16_t>(bytes);
    case Width::kI32:
      return Signed<std::int32_t>(bytes);
    case Width::kI64:
      return Signed<std::int64_t>(bytes);
    case Width::kU8:
      return Unsigned<std::uint8_t>(bytes, is_enum);
    case Width::kU16:
      return Unsigned<std::uint16_t>(bytes, is_enum);
    case Width::kU32:
      return Unsigned<std::uint32_t>(bytes, is_enum);
    case Width::kU64:
    case Width::kPtr:
      return Unsigned<std::uint64_t>(bytes, is_enum);
    case Width::kF32:
      return {double{As<float>(bytes)}};
    case Width::kF64:
      return {As<double>(bytes)};
    case Width::kChars:
      break;
  }
  const std::string_view text = bytes.substr(0, std::min(bytes.find('\0'), bytes.size()));
  return IsValidUtf8(text) ? Value{std::string(text)} : Value{};
}

}  // namespace

std::size_t BytesOf(const DeviceSpec& device, const Layout& layout) {
  if (layout.struct_of >= 0)
    return device.structs[static_cast<std::size_t>(layout.struct_of)].bytes;
  return BytesOf(layout.width) * static_cast<std::size_t>(layout.count);
}

Value Decode(const DeviceSpec& device, const Layout& layout, std::string_view bytes) {
  std::vector<Value> parts;
  if (layout.struct_of >= 0) {
    for (const auto& field : device.structs[static_cast<std::size_t>(layout.struct_of)].fields)
      parts.push_back(
          Decode(device, field.layout, bytes.substr(field.offset, BytesOf(device, field.layout))));
    return {std::move(parts)};
  }
  if (!layout.is_array) return DecodeOne(layout, bytes);
  const std::size_t each = BytesOf(layout.width);
  for (std::size_t i = 0; i < static_cast<std::size_t>(layout.count); ++i)
    parts.push_back(DecodeOne(layout, bytes.substr(i * each, each)));
  return {std::move(parts)};
}

}  // namespace rankscope::probe
