// The target of a request: path and query, decoded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/message.h"

namespace rankscope::http {

struct Target {
  std::string path;
  Fields query;
};

// Of "/a%20b?x=1&y": path "/a b", query x = 1, y = "". Refused: what does not begin with `/`, a `%`
// without two digits, control characters (decoded, too), invalid UTF-8, and in the path a `\` and
// segments `.` and `..`.
Result<Target> ParseTarget(std::string_view target);

// The inverse: every reserved character becomes %XX; `/` stays with `keep_slashes`.
std::string PercentEncoded(std::string_view text, bool keep_slashes = false);

// "a/b//c" and "/a/b//c": a, b, "", c.
std::vector<std::string_view> Segments(std::string_view path);

}  // namespace rankscope::http
