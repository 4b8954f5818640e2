#include "service/requests/page.h"

#include <charconv>

namespace rankscope::service {

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<std::size_t> LimitOf(std::string_view text, std::size_t usual, std::size_t most,
                            std::string_view name) {
  if (text.empty()) return usual;
  const auto limit = ParseInteger(text);
  if (!limit || *limit < 1 || static_cast<std::uint64_t>(*limit) > most) {
    return Error(StatusCode::kInvalidArgument, "{} is a whole number from 1 to {}, not '{}'", name,
                 most, text);
  }
  return static_cast<std::size_t>(*limit);
}

std::string ToCursor(std::string_view place) {
  std::string cursor;
  for (const char c : place) cursor += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return cursor;
}

Result<std::string> FromCursor(std::string_view cursor) {
  std::string place;
  for (std::size_t at = 0; at < cursor.size(); at += 2) {
    unsigned byte = 0;
    const char* end = cursor.data() + std::min(at + 2, cursor.size());
    const auto parsed = std::from_chars(cursor.data() + at, end, byte, 16);
    if (parsed.ec != std::errc() || parsed.ptr != cursor.data() + at + 2) {
      return Error(StatusCode::kInvalidArgument,
                   "'{}' is no cursor: take the one that the last page gave", cursor);
    }
    place += static_cast<char>(byte);
  }
  return place;
}

}  // namespace rankscope::service
