#include "table/condition.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope {
namespace {

constexpr std::array<std::pair<std::string_view, Condition::Kind>, 7> kSigns = {{
    // Those that others begin with come first.
    {"!=", Condition::Kind::kNotEqual},
    {"<=", Condition::Kind::kAtMost},
    {">=", Condition::Kind::kAtLeast},
    {"=", Condition::Kind::kEqual},
    {"<", Condition::Kind::kLess},
    {">", Condition::Kind::kGreater},
    {"~", Condition::Kind::kContains},
}};

}  // namespace

std::string_view SignOf(Condition::Kind kind) {
  return std::ranges::find(kSigns, kind, [](const auto& sign) { return sign.second; })->first;
}

Result<Condition> ParseCondition(std::string_view text) {
  const std::size_t at = text.find_first_of("!<>=~");
  if (at != std::string_view::npos && at > 0) {
    for (const auto& [sign, kind] : kSigns) {
      if (!text.substr(at).starts_with(sign)) continue;
      return Condition{.column = std::string(text.substr(0, at)),
                       .kind = kind,
                       .value = std::string(text.substr(at + sign.size()))};
    }
  }
  return Error(StatusCode::kInvalidArgument,
               "'{}' is no condition: give COLUMN, one of = != < <= > >= ~ (contains), and a value",
               text);
}

}  // namespace rankscope
