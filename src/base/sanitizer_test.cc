// The sanitizers' own alarm: what is silenced for one fuzz target (cmake/options.cmake) still rings
// everywhere else.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace rankscope {
namespace {

#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
TEST(SanitizerDeathTest, AnOverflowEndsTheProgram) {
  volatile std::int64_t number = std::numeric_limits<std::int64_t>::max();
  EXPECT_DEATH(number = number + 1, "signed integer overflow");
}
#endif
#endif

}  // namespace
}  // namespace rankscope
