#include "trace/row_names.h"

#include <algorithm>

namespace rankscope {
namespace {

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

std::string WithoutAddresses(std::string_view name) {
  constexpr std::string_view kAddress = " at 0x";
  constexpr std::string_view kHolder = "pybind11_builtins.pybind11_detail_function_record_";
  constexpr std::string_view kObject = " object";
  std::string text;
  text.reserve(name.size());
  for (std::size_t i = 0; i < name.size();) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with(kAddress)) {
      const auto* const end =
          std::find_if_not(rest.begin() + kAddress.size(), rest.end(), IsHexDigit);
      i += static_cast<std::size_t>(end - rest.begin());
    } else if (rest.starts_with(kHolder) && rest.find(kObject) != std::string_view::npos) {
      text += "pybind11";
      i += rest.find(kObject) + kObject.size();
    } else {
      text += name[i++];
    }
  }
  return text;
}

}  // namespace rankscope
