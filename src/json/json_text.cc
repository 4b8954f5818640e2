#include "json/json_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "base/utf8.h"

namespace rankscope {
namespace {

constexpr std::int64_t kBiggestExact = std::int64_t{1} << 53;

// Which bytes may be copied into a JSON string as they are.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

std::size_t EndOfPlain(std::string_view text, std::size_t at) {
  while (at < text.size() && kPlain[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

void AppendEscaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("\\u{:04x}"), static_cast<unsigned>(c));
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = EndOfPlain(text, at);
    out.append(text.data() + at, end - at);
    at = end;
    if (at == text.size()) break;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      AppendEscaped(out, text[at++]);
      continue;
    }
    const CodePoint code = DecodeUtf8(text, at);
    out.append(code.valid ? text.substr(at, code.bytes) : kReplacementUtf8);
    at += code.bytes;
  }
  out += '"';
}

void AppendJsonInteger(std::string& out, std::int64_t value) {
  const fmt::format_int digits(value);
  const bool exact = value >= -kBiggestExact && value <= kBiggestExact;
  if (!exact) out += '"';
  out.append(digits.data(), digits.size());
  if (!exact) out += '"';
}

void AppendJsonDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

void AppendKey(std::string& out, std::string_view key) {
  AppendJsonString(out, key);
  out += ':';
}

}  // namespace rankscope
