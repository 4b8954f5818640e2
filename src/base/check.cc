#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace rankscope {

void EndProgram(const char* file, int line, const char* condition, fmt::string_view format,
                fmt::format_args args) {
  fmt::print(stderr, "rankscope: internal error at {}:{}: {}: ", file, line, condition);
  fmt::vprint(stderr, format, args);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace rankscope
