#include "formats/kineto/tokens/text.h"

#include <cstdint>

#include "formats/base/utf8.h"

namespace rankscope::kineto {
namespace {

constexpr std::uint32_t kNoCode = 0xFFFFFFFF;

void AppendUtf8(std::uint32_t code, std::string& out) {
  if ((code >= 0xD800 && code < 0xE000) || code == kNoCode) {
    out += kReplacementCharacter;
  } else if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The value of four hex digits at `at`; kNoCode when there are fewer. `digits` tells how many.
std::uint32_t Hex4(std::string_view text, std::size_t at, std::size_t& digits) {
  std::uint32_t code = 0;
  for (digits = 0; digits < 4; ++digits) {
    const char c = at + digits < text.size() ? text[at + digits] : 'x';
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return kNoCode;
    }
    code = code * 16 + digit;
  }
  return code;
}

}  // namespace

void Unescape(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (const char c = text[++i]; c) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case '"':
      case '\\':
      case '/':
        out += c;
        break;
      case 'u': {
        std::size_t digits = 0;
        std::uint32_t code = Hex4(text, i + 1, digits);
        i += digits;
        if (code >= 0xD800 && code < 0xDC00 && text.substr(i + 1).starts_with("\\u")) {
          const std::uint32_t low = Hex4(text, i + 3, digits);
          if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
          }
        }
        AppendUtf8(code, out);
        break;
      }
      default:
        out += kReplacementCharacter;
        // A character of several bytes stays whole.
        if (static_cast<unsigned char>(c) >= 0x80) --i;
    }
  }
}

void Minify(std::string_view json, std::string& out) {
  out.clear();
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || static_cast<unsigned char>(c) > ' ') out += c;
  }
}

Repairs RepairText(std::string_view text, std::string& out) {
  out.clear();
  Repairs repairs;
  bool in_string = false;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = Utf8Length(text, i);
    if (length == 0) {
      repairs.utf8 = true;
      out += kReplacementCharacter;
      escaped = false;
      ++i;
      continue;
    }
    char c = text[i];
    if (in_string && static_cast<unsigned char>(c) < 0x20) {
      repairs.control = true;
      c = ' ';
    }
    if (escaped) {
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      in_string = !in_string;
    }
    out += c;
    out.append(text.substr(i + 1, length - 1));
    i += length;
  }
  return repairs;
}

}  // namespace rankscope::kineto
