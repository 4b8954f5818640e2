#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rankscope {

void EndProgram(const char* file, int line, const char* condition, fmt::string_view format,
                fmt::format_args args) {
  const std::string sentence = fmt::format("rankscope: internal error at {}:{}: {}: {}\n", file,
                                           line, condition, fmt::vformat(format, args));
  std::fputs(sentence.c_str(), stderr);
  std::abort();
}

}  // namespace rankscope
