#include "probe/source/file_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/utf8.h"

namespace rankscope::probe {
namespace {

// Devices fill texts up with zeros, too.
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

std::string_view WithoutPadding(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view TakeWord(std::string_view& line) {
  line = WithoutPadding(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

std::optional<std::string_view> WordBehindKey(std::string_view text, const Source& source) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (TakeWord(line) != source.key) continue;
    std::string_view word;
    for (int column = 0; column < source.column; ++column) word = TakeWord(line);
    if (word.empty()) return std::nullopt;
    return word;
  }
  return std::nullopt;
}

template <typename T>
std::optional<T> Whole(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, is_hex ? 16 : 10);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  if (!is_negative) return std::in_range<T>(number) ? std::optional<T>(number) : std::nullopt;
  // The least number has no positive twin.
  if (std::is_unsigned_v<T> || number > std::uint64_t{1} << 63) return std::nullopt;
  return static_cast<T>(~number + 1);
}

bool FitsIn(std::int64_t number, Width width) {
  const std::size_t bits = 8 * BytesOf(width);
  if (bits == 64) return true;
  return number >= -(std::int64_t{1} << (bits - 1)) && number < std::int64_t{1} << (bits - 1);
}
bool FitsIn(std::uint64_t number, Width width) {
  const std::size_t bits = 8 * BytesOf(width);
  return bits == 64 || number < std::uint64_t{1} << bits;
}

std::optional<Value> NumberOf(std::string_view text, const Layout& layout) {
  if (layout.width == Width::kF32 || layout.width == Width::kF64) {
    double real = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    const bool is_number = error == std::errc() && at == text.data() + text.size();
    if (!is_number || !std::isfinite(real)) return std::nullopt;
    return Value{real};
  }
  const bool is_natural = layout.width >= Width::kU8;
  if (is_natural && layout.enum_of < 0) {
    const auto natural = Whole<std::uint64_t>(text);
    return natural && FitsIn(*natural, layout.width) ? std::optional(Value{*natural})
                                                     : std::nullopt;
  }
  const auto whole = Whole<std::int64_t>(text);
  const bool fits =
      whole && (is_natural ? *whole >= 0 && FitsIn(static_cast<std::uint64_t>(*whole), layout.width)
                           : FitsIn(*whole, layout.width));
  return fits ? std::optional(Value{*whole}) : std::nullopt;
}

}  // namespace

Reading Available(Value value, const Source& source, std::string_view where) {
  if (std::ranges::find(source.not_available, value) == source.not_available.end())
    return {.value = std::move(value), .fault = ReadFault::kNone, .why = {}};
  return {.value = {},
          .fault = ReadFault::kNotAvailable,
          .why = fmt::format("{}: {} stands for no value", where, ValueText(value))};
}

Reading ValueOfText(std::string_view text, const Source& source, std::string_view where) {
  const auto wrong = [&](std::string why) {
    return Reading{.value = {}, .fault = ReadFault::kUnreadable, .why = std::move(why)};
  };
  if (!source.key.empty()) {
    const auto word = WordBehindKey(text, source);
    if (!word)
      return wrong(
          fmt::format("{}: there is no word {} behind {}", where, source.column, source.key));
    text = *word;
  }
  if (source.type.kind == TypeKind::kStr) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (!IsValidUtf8(text)) return wrong(fmt::format("{}: it is no UTF-8 text", where));
    return Available({std::string(text)}, source, where);
  }
  const auto number = NumberOf(WithoutPadding(text), source.layout);
  if (number) return Available(*number, source, where);
  constexpr std::size_t kMostShown = 40;
  return wrong(fmt::format(
      "{}: '{}' is no number of its type; take a wider type or str, or one word of it by key=",
      where, WithoutPadding(text).substr(0, kMostShown)));
}

}  // namespace rankscope::probe
