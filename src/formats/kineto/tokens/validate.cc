#include "formats/kineto/tokens/validate.h"

#include <array>
#include <vector>

#include "base/text.h"

namespace rankscope::kineto {
namespace {

std::size_t SkipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && IsJsonSpace(text[at])) ++at;
  return at;
}

// One past the closing quote of the string that opens at `at`; npos when it does not close.
std::size_t SkipString(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

constexpr bool IsScalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

}  // namespace

ObjectExtent MeasureObject(std::string_view text) {
  using Kind = ObjectExtent::Kind;
  std::vector<bool> is_object;  // the open containers
  enum class Expect {
    kKey,
    kKeyOrEnd,
    kColon,
    kValue,
    kValueOrEnd,
    kCommaOrEnd
  } expect = Expect::kValue;
  std::size_t at = 0;
  while (true) {
    at = SkipSpace(text, at);
    if (at >= text.size()) return {Kind::kIncomplete, text.size()};
    const char c = text[at];
    const bool at_value = expect == Expect::kValue || expect == Expect::kValueOrEnd;
    if (c == '"') {
      if (!at_value && expect != Expect::kKey && expect != Expect::kKeyOrEnd)
        return {Kind::kError, at};
      const std::size_t end = SkipString(text, at);
      if (end == std::string_view::npos) return {Kind::kIncomplete, text.size()};
      expect = at_value ? Expect::kCommaOrEnd : Expect::kColon;
      at = end;
    } else if (c == '{' || c == '[') {
      if (!at_value) return {Kind::kError, at};
      if (static_cast<int>(is_object.size()) >= kMaxNesting) return {Kind::kTooDeep, at};
      is_object.push_back(c == '{');
      expect = c == '{' ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
      ++at;
    } else if (c == '}' || c == ']') {
      const bool may_end = expect == Expect::kCommaOrEnd ||
                           (c == '}' ? expect == Expect::kKeyOrEnd : expect == Expect::kValueOrEnd);
      if (!may_end || is_object.empty() || is_object.back() != (c == '}'))
        return {Kind::kError, at};
      is_object.pop_back();
      ++at;
      if (is_object.empty()) return {Kind::kComplete, at};
      expect = Expect::kCommaOrEnd;
    } else if (c == ',') {
      if (expect != Expect::kCommaOrEnd || is_object.empty()) return {Kind::kError, at};
      expect = is_object.back() ? Expect::kKey : Expect::kValue;
      ++at;
    } else if (c == ':') {
      if (expect != Expect::kColon) return {Kind::kError, at};
      expect = Expect::kValue;
      ++at;
    } else if (at_value && IsScalar(c)) {
      while (at < text.size() && IsScalar(text[at])) ++at;
      expect = Expect::kCommaOrEnd;
    } else {
      return {Kind::kError, at};
    }
  }
}

std::size_t FindEventStart(std::string_view text, std::size_t from) {
  static constexpr std::array<std::string_view, 13> kFirstKeys = {
      "ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "s", "bp", "cname", "Args"};
  for (std::size_t close = text.find('}', from); close != std::string_view::npos;
       close = text.find('}', close + 1)) {
    std::size_t at = SkipSpace(text, close + 1);
    if (at >= text.size()) break;
    if (text[at] == ']') {
      const std::size_t after = SkipSpace(text, at + 1);
      if (after >= text.size() || text[after] == '}') return at;
      if (text[after] == ',') {
        const std::size_t key = SkipSpace(text, after + 1);
        if (key < text.size() && text[key] == '"') return at;
      }
      continue;
    }
    if (text[at] != ',') continue;
    const std::size_t open = SkipSpace(text, at + 1);
    if (open >= text.size() || text[open] != '{') continue;
    const std::size_t quote = SkipSpace(text, open + 1);
    if (quote >= text.size() || text[quote] != '"') continue;
    const std::string_view rest = text.substr(quote + 1);
    for (const std::string_view key : kFirstKeys) {
      if (!rest.starts_with(key) || rest.size() <= key.size() || rest[key.size()] != '"') continue;
      const std::size_t colon = SkipSpace(rest, key.size() + 1);
      if (colon < rest.size() && rest[colon] == ':') return open;
    }
  }
  return std::string_view::npos;
}

}  // namespace rankscope::kineto
