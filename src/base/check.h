// RS_CHECK(condition, format, args...) ends the program with a sentence if one of its own
// invariants is broken. Never used on input.
#pragma once

#include <fmt/core.h>

namespace rankscope {

// Prints where the check stands, its text and the sentence, and ends the program.
[[noreturn]] void EndProgram(const char* file, int line, const char* condition,
                             fmt::string_view format, fmt::format_args args);

template <typename... Args>
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              fmt::format_string<Args...> format, Args&&... args) {
  EndProgram(file, line, condition, fmt::string_view(format), fmt::make_format_args(args...));
}

}  // namespace rankscope

#define RS_CHECK(condition, ...)                                                \
  do {                                                                          \
    if (!(condition)) [[unlikely]]                                              \
      ::rankscope::CheckFailed(__FILE__, __LINE__, #condition, "" __VA_ARGS__); \
  } while (false)
