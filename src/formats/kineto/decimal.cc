#include "formats/kineto/decimal.h"

#include <algorithm>
#include <charconv>

namespace rankscope::kineto {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// value * 10^exponent as an integer, rounded half to even; the digits are those of `text` without
// sign.
bool Scale(std::string_view text, int exponent, bool negative, std::int64_t& result) {
  std::uint64_t value = 0;
  int digits_seen = 0;
  bool seen_point = false;
  int fraction = 0;
  std::size_t i = 0;
  // First pass: where the point and the exponent are.
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (IsDigit(c)) {
      ++digits_seen;
      fraction += seen_point;
    } else if (c == '.' && !seen_point) {
      seen_point = true;
    } else {
      break;
    }
  }
  if (digits_seen == 0) return false;
  const std::string_view digits = text.substr(0, i);
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return false;
    std::string_view rest = text.substr(i + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    int stated = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), stated);
    if (error != std::errc() || end != rest.data() + rest.size() || stated > 40 || stated < -400)
      return false;
    exponent += stated;
  }
  // `keep` digits are whole; what follows decides the rounding.
  const int keep = digits_seen - fraction + exponent;
  int index = 0;
  int first_dropped = 0;
  bool more_dropped = false;
  for (const char c : digits) {
    if (c == '.') continue;
    const int digit = c - '0';
    if (index < keep) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(digit), &value)) {
        return false;
      }
    } else if (index == std::max(keep, 0) && keep >= 0) {
      first_dropped = digit;
    } else {
      more_dropped |= digit != 0;
    }
    ++index;
  }
  for (; index < keep; ++index) {
    if (value == 0) break;
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value)) return false;
  }
  if (first_dropped > 5 || (first_dropped == 5 && (more_dropped || (value & 1) != 0))) ++value;
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return false;
  result = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  return true;
}

}  // namespace

bool ParseMicros(std::string_view text, std::int64_t& nanos) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  // The usual form: up to 15 whole digits and up to three decimals.
  std::size_t i = 0;
  std::int64_t value = 0;
  while (i < text.size() && IsDigit(text[i])) value = value * 10 + (text[i++] - '0');
  if (i == 0 || i > 15) return Scale(text, 3, negative, nanos);
  std::size_t decimals = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (decimals < 3 && i < text.size() && IsDigit(text[i])) {
      value = value * 10 + (text[i++] - '0');
      ++decimals;
    }
  }
  if (i != text.size()) return Scale(text, 3, negative, nanos);
  static constexpr std::int64_t kPower[4] = {1000, 100, 10, 1};
  value *= kPower[decimals];
  nanos = negative ? -value : value;
  return true;
}

bool ParseInteger(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  // Only whole numbers: nothing but zeros may follow the point.
  const std::size_t point = text.find('.');
  const bool exponent = text.find_first_of("eE") != std::string_view::npos;
  if (point != std::string_view::npos && !exponent &&
      text.find_first_not_of('0', point + 1) != std::string_view::npos) {
    return false;
  }
  return Scale(text, 0, negative, value);
}

}  // namespace rankscope::kineto
