// TOML for all code that reads settings; toml++ is compiled once, in toml.cc.
#pragma once

#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

#include "base/status.h"

namespace rankscope {

// kInvalidArgument with "SOURCE: line N: what is wrong". Letters beyond ASCII are allowed only in
// "strings" and comments. In literal 'strings' they cannot be escaped, and toml++ 3.3 has undefined
// behaviour for some of them.
Result<toml::table> ParseToml(std::string_view text, const std::string& source);

}  // namespace rankscope
