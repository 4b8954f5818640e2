#include "table/terminal_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace rankscope {
namespace {

constexpr std::string_view kGap = "...";

bool IsControl(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
  return code == 0x061C ||                      // Arabic letter mark
         (code >= 0x200B && code <= 0x200F) ||  // zero width, direction marks
         (code >= 0x2028 && code <= 0x202E) ||  // line and paragraph separators, overrides
         (code >= 0x2060 && code <= 0x206F) ||  // invisible operators, isolates
         code == 0xFEFF;                        // zero width no-break space
}

void AppendEscaped(std::string& out, std::uint32_t code) {
  switch (code) {
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
      break;
  }
  if (code < 0x100) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  }
}

bool IsPlainAscii(char c) { return c >= 0x20 && c < 0x7F; }

}  // namespace

std::string SafeForTerminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto plain =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), IsPlainAscii);
    const std::size_t end = static_cast<std::size_t>(plain - text.begin());
    out.append(text.substr(at, end - at));
    at = end;
    if (at == text.size()) break;
    const CodePoint code = DecodeUtf8(text, at);
    if (!code.valid) {
      out.append(kReplacementUtf8);
    } else if (IsControl(code.value)) {
      AppendEscaped(out, code.value);
    } else {
      out.append(text.substr(at, code.bytes));
    }
    at += code.bytes;
  }
  return out;
}

std::string ShortenMiddle(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);  // never more code points than bytes
  const std::size_t count = CountCodePoints(text);
  if (count <= width) return std::string(text);
  if (width <= kGap.size()) return std::string(text.substr(0, ByteOfCodePoint(text, width)));
  const std::size_t kept = width - kGap.size();
  const std::size_t head = kept - kept / 2;
  std::string out(text.substr(0, ByteOfCodePoint(text, head)));
  out += kGap;
  out += text.substr(ByteOfCodePoint(text, count - kept / 2));
  return out;
}

}  // namespace rankscope
