#include "timeline/name_filter.h"

#include "base/letter_case.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostPattern = 200;
constexpr std::size_t kMostMatched = 1000;

// The same pattern without what costs more than reading the name: counts multiply states, and back
// references need backtracking.
Status Check(std::string_view pattern) {
  if (pattern.size() > kMostPattern) {
    return Error(StatusCode::kInvalidArgument, "the pattern has {} characters; {} are allowed",
                 pattern.size(), kMostPattern);
  }
  bool is_escaped = false;
  bool is_in_class = false;
  for (const char c : pattern) {
    if (is_escaped) {
      if (c >= '1' && c <= '9') {
        return Error(StatusCode::kInvalidArgument,
                     "the pattern has the back reference \\{}, which is not supported", c);
      }
      is_escaped = false;
      continue;
    }
    if (c == '\\') is_escaped = true;
    if (c == '[') is_in_class = true;
    if (c == ']') is_in_class = false;
    if (c == '{' && !is_in_class) {
      return Error(StatusCode::kInvalidArgument,
                   "the pattern has a count, which is not supported: write \\{{ for a brace");
    }
  }
  return OkStatus();
}

}  // namespace

Result<NameMatch> NameMatchOf(std::string_view text) {
  if (text == "part") return NameMatch::kPart;
  if (text == "whole") return NameMatch::kWhole;
  if (text == "pattern") return NameMatch::kPattern;
  return Error(StatusCode::kInvalidArgument, "match is part, whole or pattern, not '{}'", text);
}

Result<NameFilter> NameFilter::Make(NameMatch match, std::string_view text) {
  NameFilter filter(match, match == NameMatch::kPart ? LowerCase(text) : std::string(text));
  if (match != NameMatch::kPattern) return filter;
  RS_RETURN_IF_ERROR(Check(text));
  try {
    // __polynomial: states side by side, where the usual way recurses once per character.
    filter.pattern_ = std::make_shared<const std::regex>(
        filter.text_, std::regex::ECMAScript | std::regex::icase | std::regex::optimize |
                          std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    return Error(StatusCode::kInvalidArgument, "'{}' is no regular expression: {}", text,
                 error.what());
  }
  return filter;
}

bool NameFilter::Matches(std::string_view name) const {
  switch (match_) {
    case NameMatch::kPart:
      return LowerCase(name).find(text_) != std::string::npos;
    case NameMatch::kWhole:
      return name == text_;
    case NameMatch::kPattern:
      break;
  }
  name = name.substr(0, kMostMatched);
  return std::regex_search(name.begin(), name.end(), *pattern_);
}

}  // namespace rankscope
