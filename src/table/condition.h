// A condition on the rows of a table, as typed by users: "rank=3", "name~gemm".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

struct Condition {
  enum class Kind : std::uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kAtMost,
    kGreater,
    kAtLeast,
    kContains
  };
  std::string column;
  Kind kind = Kind::kEqual;
  std::string value;  // as text; with kEqual and kNotEqual "" means unknown
};

// "rank=3", "dur_ns>=1000", "name~gemm" (contains), "value!=" (is known). kInvalidArgument for text
// without one of the signs.
Result<Condition> ParseCondition(std::string_view text);

// "=", "!=", ...
std::string_view SignOf(Condition::Kind kind);

}  // namespace rankscope
