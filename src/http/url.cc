#include "http/url.h"

#include <algorithm>

#include "base/utf8.h"

namespace rankscope::http {
namespace {

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Status Wrong(std::string_view what) {
  return Error(StatusCode::kInvalidArgument, "the address {}", what);
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
// What texts of several lines are made of.
bool IsLayout(char c) { return c == '\n' || c == '\r' || c == '\t'; }

// Values of a query may be texts.
enum class Place : std::uint8_t { kPath, kName, kValue };

Result<std::string> Decoded(std::string_view text, Place place) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      const int high = at + 2 < text.size() ? DigitOf(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? DigitOf(text[at + 2]) : -1;
      if (high < 0 || low < 0) return Wrong("has a % without two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      at += 2;
    } else if (c == '+' && place != Place::kPath) {
      c = ' ';
    }
    out += c;
  }
  const bool is_text = place == Place::kValue;
  if (std::ranges::any_of(out, [&](char c) { return IsControl(c) && !(is_text && IsLayout(c)); }))
    return Wrong("has a control character");
  if (!IsValidUtf8(out)) return Wrong("is no UTF-8");
  return out;
}

}  // namespace

Result<Target> ParseTarget(std::string_view target) {
  if (target.empty() || target.front() != '/') return Wrong("does not begin with /");
  target = target.substr(0, target.find('#'));
  const std::size_t question = target.find('?');
  Target parsed;
  RS_ASSIGN_OR_RETURN(parsed.path, Decoded(target.substr(0, question), Place::kPath));
  if (parsed.path.find('\\') != std::string::npos) return Wrong("has a backslash");
  for (const std::string_view segment : Segments(parsed.path)) {
    if (segment == "." || segment == "..") return Wrong("has a segment . or ..");
  }
  if (question == std::string_view::npos) return parsed;
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    RS_ASSIGN_OR_RETURN(std::string name, Decoded(pair.substr(0, equals), Place::kName));
    std::string value;
    if (equals != std::string_view::npos) {
      RS_ASSIGN_OR_RETURN(value, Decoded(pair.substr(equals + 1), Place::kValue));
    }
    parsed.query.emplace_back(std::move(name), std::move(value));
  }
  return parsed;
}

std::string PercentEncoded(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~' ||
                          (keep_slashes && c == '/');
    if (is_plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

std::vector<std::string_view> Segments(std::string_view path) {
  std::vector<std::string_view> segments;
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace rankscope::http
