#include "probe/syntax/literals.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "base/utf8.h"

namespace rankscope::probe {
namespace {

bool IsWordPart(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// "1e-9" and "1.5e+3": a sign behind the exponent's letter belongs to a decimal number.
std::size_t LengthOf(std::string_view text) {
  const bool is_decimal = text.size() < 2 || text[0] != '0' ||
                          std::string_view("xXoObB").find(text[1]) == std::string_view::npos;
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    const bool is_sign = is_decimal && length > 0 && (c == '+' || c == '-') &&
                         (text[length - 1] == 'e' || text[length - 1] == 'E');
    if (!IsWordPart(c) && !(is_decimal && c == '.') && !is_sign) break;
    ++length;
  }
  return length;
}

bool IsDigitOf(int base, char c) {
  return base == 16 ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c >= '0' && c <= '9';
}

// Digits without the underscores between them; "" where they stand elsewhere.
std::string WithoutUnderscores(std::string_view digits, int base) {
  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') {
      plain += digits[i];
      continue;
    }
    const bool is_between = i > 0 && i + 1 < digits.size() && IsDigitOf(base, digits[i - 1]) &&
                            IsDigitOf(base, digits[i + 1]);
    if (!is_between) return "";
  }
  return plain;
}

void ReadInteger(std::string_view digits, int base, NumberText& number) {
  // "0x_ff" is a number in Python.
  if (base != 10 && digits.starts_with('_')) digits.remove_prefix(1);
  const std::string plain = WithoutUnderscores(digits, base);
  const char* const end = plain.data() + plain.size();
  const auto [at, error] = std::from_chars(plain.data(), end, number.integer, base);
  if (error == std::errc::result_out_of_range) {
    number.wrong = "this number is too large";
    number.remedy = "the largest is 18446744073709551615";
  } else if (error != std::errc() || at != end) {
    number.wrong = "this is no number";
    number.remedy = "write 10, 0x1f, 0b101, 0o17, 2.5 or 1e9";
  } else if (base == 10 && plain.size() > 1 && plain[0] == '0' && number.integer != 0) {
    number.wrong = "a number begins with 0";
    number.remedy = "leave the 0 out, or write 0o for octal";
  }
}

void ReadReal(std::string_view digits, NumberText& number) {
  number.is_real = true;
  const std::string plain = WithoutUnderscores(digits, 10);
  const char* const end = plain.data() + plain.size();
  const auto [at, error] = std::from_chars(plain.data(), end, number.real);
  if (error == std::errc::result_out_of_range) {
    number.wrong = "this number is out of the range of a double";
    number.remedy = "the largest is about 1.8e308";
  } else if (error != std::errc() || at != end) {
    number.wrong = "this is no number";
    number.remedy = "write 10, 0x1f, 0b101, 0o17, 2.5 or 1e9";
  }
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

EscapeText ReadHexEscape(std::string_view text) {
  EscapeText part{.length = 2, .value = {}, .wrong = {}, .remedy = {}};
  const int high = text.size() > 2 ? HexValue(text[2]) : -1;
  const int low = text.size() > 3 ? HexValue(text[3]) : -1;
  // A text is UTF-8: what is beyond ASCII is written as it is.
  if (high < 0 || low < 0 || high > 7 || high + low == 0) {
    part.wrong = "`\\x` needs two digits, 01 to 7f";
    part.remedy = "other characters are written as they are";
    return part;
  }
  part.length = 4;
  part.value = static_cast<char>(16 * high + low);
  return part;
}

}  // namespace

NumberText ReadNumber(std::string_view text) {
  NumberText number;
  number.length = LengthOf(text);
  const std::string_view whole = text.substr(0, number.length);
  const char base = whole.size() > 1 && whole[0] == '0' ? whole[1] : '\0';
  if (base == 'x' || base == 'X')
    ReadInteger(whole.substr(2), 16, number);
  else if (base == 'o' || base == 'O')
    ReadInteger(whole.substr(2), 8, number);
  else if (base == 'b' || base == 'B')
    ReadInteger(whole.substr(2), 2, number);
  else if (whole.find_first_of(".eE") != std::string_view::npos)
    ReadReal(whole, number);
  else
    ReadInteger(whole, 10, number);
  return number;
}

EscapeText ReadEscape(std::string_view text) {
  EscapeText part;
  if (text[0] != '\\') {
    const CodePoint point = DecodeUtf8(text, 0);
    part.length = point.bytes;
    part.value = text.substr(0, point.bytes);
    if (!point.valid || text[0] == '\0') {
      part.wrong = point.valid ? "a NUL byte stands here" : "these bytes are no UTF-8";
      part.remedy = "save the file as UTF-8 text";
    } else if (text.starts_with("\r\n")) {
      part.value.clear();  // Python reads a line feed
    } else if (text[0] == '\r') {
      part.wrong = "a carriage return stands alone";
      part.remedy = "end lines with a line feed";
    }
    return part;
  }
  constexpr std::string_view kLetters = "\\'\"nrt", kValues = "\\'\"\n\r\t";
  const std::size_t known = text.size() > 1 ? kLetters.find(text[1]) : std::string_view::npos;
  if (text.size() > 1 && text[1] == 'x') return ReadHexEscape(text);
  part.length = text.size() > 1 && text[1] != '\n' ? 1 + DecodeUtf8(text, 1).bytes : 1;
  if (known == std::string_view::npos) {
    part.wrong = "this escape is not known";
    part.remedy = "there are \\\\, \\', \\\", \\n, \\r, \\t and \\x41";
  } else {
    part.value = kValues[known];
  }
  return part;
}

}  // namespace rankscope::probe
