// Cuts SQL that somebody types into statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cli {

struct Statements {
  std::vector<std::string> complete;  // each with its semicolon; none is empty but for it
  std::string rest;                   // what has no semicolon yet; blank or not
};

// A semicolon inside quotes ('', "", $tag$...$tag$) or comments (-- and nested /* */) ends nothing.
Statements SplitStatements(std::string_view sql);

}  // namespace rankscope::cli
