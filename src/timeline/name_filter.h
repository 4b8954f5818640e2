// Which names are meant: by a part of them, by all of them, by a pattern. Built once, then asked of
// every name of a file.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

enum class NameMatch {
  kPart,     // has the text, case aside
  kWhole,    // is the text
  kPattern,  // has what the regular expression (ECMAScript's) describes, case aside
};

// "part", "whole", "pattern"; kInvalidArgument for others.
Result<NameMatch> NameMatchOf(std::string_view text);

class NameFilter {
 public:
  // A pattern has at most 200 characters and neither counts ("{3}") nor back references, so that
  // matching a name takes O(pattern x name) and no deep recursion. kInvalidArgument says what is
  // wrong with it.
  static Result<NameFilter> Make(NameMatch match, std::string_view text);

  // Of a pattern only the first 1,000 characters of the name count.
  bool Matches(std::string_view name) const;

 private:
  NameFilter(NameMatch match, std::string text) : match_(match), text_(std::move(text)) {}

  NameMatch match_;
  std::string text_;  // of kPart in lower case
  std::shared_ptr<const std::regex> pattern_;
};

}  // namespace rankscope
