#include "formats/kineto/tokens/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"

namespace rankscope::kineto {
namespace {

// Whether 8 characters are all digits, and their value: one multiplication instead of eight
// (Lemire's SWAR method).
bool IsEightDigits(std::uint64_t chars) {
  return ((chars & 0xF0F0F0F0F0F0F0F0) |
          (((chars + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) == 0x3333333333333333;
}
std::int64_t EightDigits(std::uint64_t chars) {
  chars -= 0x3030303030303030;
  chars = chars * 10 + (chars >> 8);
  const std::uint64_t pairs = ((chars & 0x000000FF000000FF) * 0x000F424000000064 +
                               ((chars >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
                              32;
  return static_cast<std::int64_t>(static_cast<std::uint32_t>(pairs));
}

// Reads leading digits into `value`, which overflows silently beyond 18; returns how many there
// were.
std::size_t ReadDigits(std::string_view text, std::int64_t& value) {
  std::size_t i = 0;
  std::uint64_t sum = 0;
  while (i + 8 <= text.size()) {
    std::uint64_t chars = 0;
    std::memcpy(&chars, text.data() + i, sizeof(chars));
    if (!IsEightDigits(chars)) break;
    sum = sum * 100'000'000 + static_cast<std::uint64_t>(EightDigits(chars));
    i += 8;
  }
  while (i < text.size() && IsDigit(text[i]))
    sum = sum * 10 + static_cast<std::uint64_t>(text[i++] - '0');
  value = static_cast<std::int64_t>(sum);
  return i;
}

// value * 10^exponent as an integer, rounded half to even; the digits are those of `text` without
// sign. `exact` tells whether nothing was rounded away.
bool Scale(std::string_view text, int exponent, bool negative, std::int64_t& result, bool& exact) {
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
    if (rest.starts_with('+')) {
      rest.remove_prefix(1);
      if (rest.starts_with('-')) return false;
    }
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
  // Before rounding too: the largest value would round up to 0.
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return false;
  exact = first_dropped == 0 && !more_dropped;
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
  std::int64_t value = 0;
  std::size_t i = ReadDigits(text, value);
  bool exact = false;
  if (i == 0 || i > 15) return Scale(text, 3, negative, nanos, exact);
  std::size_t decimals = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (decimals < 3 && i < text.size() && IsDigit(text[i])) {
      value = value * 10 + (text[i++] - '0');
      ++decimals;
    }
  }
  if (i != text.size()) return Scale(text, 3, negative, nanos, exact);
  static constexpr std::int64_t kPower[4] = {1000, 100, 10, 1};
  value *= kPower[decimals];
  nanos = negative ? -value : value;
  return true;
}

bool ParseInteger(std::string_view text, std::int64_t& value) {
  // The usual form: a few digits.
  std::int64_t digits = 0;
  if (!text.empty() && text.size() <= 18 && ReadDigits(text, digits) == text.size()) {
    value = digits;
    return true;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  // "12.0" and "1e3" are whole numbers too, "1.5" and "15e-1" are not.
  std::int64_t whole = 0;
  bool exact = false;
  if (!Scale(text, 0, negative, whole, exact) || !exact) return false;
  value = whole;
  return true;
}

}  // namespace rankscope::kineto
