#include "analysis/copies/copy_direction.h"

namespace rankscope {
namespace {

// "HtoD": two capital letters with "to" between them.
bool IsDirection(std::string_view word) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return word.size() == 4 && is_capital(word[0]) && word.substr(1, 2) == "to" &&
         is_capital(word[3]);
}

}  // namespace

CopyDirection DirectionOf(std::string_view name) {
  CopyDirection result{"unknown", ""};
  if (name.starts_with("CopyHostToDevice")) result.direction = "HtoD";
  if (name.starts_with("CopyDeviceToHost")) result.direction = "DtoH";
  if (name.starts_with("CopyDeviceToDevice")) result.direction = "DtoD";
  constexpr std::string_view kPrefix = "Memcpy ";
  if (!name.starts_with(kPrefix)) return result;
  name.remove_prefix(kPrefix.size());
  if (const std::string_view word = name.substr(0, name.find(' ')); IsDirection(word))
    result.direction = word;
  const std::size_t open = name.find('(');
  const std::size_t close = name.rfind(')');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open)
    result.memory = name.substr(open + 1, close - open - 1);
  return result;
}

}  // namespace rankscope
