// Splits SQL that a user types into statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cli {

struct Statements {
  std::vector<std::string> complete;  // each with its semicolon; none consists of it alone
  std::string rest;                   // the part without a semicolon yet; may be blank
};

// Semicolons inside quotes ('', "", $tag$...$tag$) or comments (-- and nested /* */) do not count.
Statements SplitStatements(std::string_view sql);

}  // namespace rankscope::cli
