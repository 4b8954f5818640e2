// RS_CHECK(condition, format, args...): a broken invariant of the program itself ends it with a
// sentence. Never used on input.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#define RS_CHECK(condition, ...)                                                         \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      fmt::print(stderr, "rankscope: internal error at {}:{}: {}: ", __FILE__, __LINE__, \
                 #condition);                                                            \
      fmt::print(stderr, "" __VA_ARGS__);                                                \
      std::fputc('\n', stderr);                                                          \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
