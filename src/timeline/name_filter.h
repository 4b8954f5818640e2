// Selects names by a part, by the whole name, or by a pattern. Built once, then applied to every
// name of a file.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

enum class NameMatch {
  kPart,     // contains the text, ignoring case
  kWhole,    // equals the text
  kPattern,  // contains a match of the regular expression (ECMAScript), ignoring case
};

// "part", "whole", "pattern"; kInvalidArgument for others.
Result<NameMatch> NameMatchOf(std::string_view text);

class NameFilter {
 public:
  // A pattern has at most 200 characters and no counts ("{3}") or back references. So matching a
  // name takes O(pattern x name) and no deep recursion. kInvalidArgument says what is wrong with
  // the pattern.
  static Result<NameFilter> Make(NameMatch match, std::string_view text);

  // A pattern only looks at the first 1,000 characters of the name.
  bool Matches(std::string_view name) const;

 private:
  NameFilter(NameMatch match, std::string text) : match_(match), text_(std::move(text)) {}

  NameMatch match_;
  std::string text_;  // of kPart in lower case
  std::shared_ptr<const std::regex> pattern_;
};

}  // namespace rankscope
