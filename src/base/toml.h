// TOML, for everybody who reads settings; toml++ is compiled once, in toml.cc.
#pragma once

#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

#include "base/status.h"

namespace rankscope {

// kInvalidArgument with "SOURCE: line N: what is wrong". Letters beyond ASCII stand in "strings"
// and in comments alone, and not in literal 'strings': there they cannot be escaped, and what
// toml++ 3.3 does with some of them is not defined.
Result<toml::table> ParseToml(std::string_view text, const std::string& source);

}  // namespace rankscope
