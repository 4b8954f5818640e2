// Names of rows for display.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// Replaces runs of digits by "#", so names with a counter become equal: "iteration 12" and
// "iteration 13" are "iteration #". Lines of code keep their digits: "train.py(12): step".
inline std::string NameWithoutNumbers(std::string_view name) {
  if (name.find(".py(") != std::string_view::npos) return std::string(name);
  std::string text;
  text.reserve(name.size());
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      text += c;
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

// Removes addresses of objects, which differ between runs and ranks: "<built-in method keys of dict
// object at 0x7f19513c4440>" ends after "object". pybind11's name for the holder of its functions
// ("pybind11_builtins.pybind11_detail_function_record_v1_... object") is "pybind11".
std::string WithoutAddresses(std::string_view name);

}  // namespace rankscope
