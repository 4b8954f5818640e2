// small-copies: many small tensors are copied to the device one by one.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// So many copies in a row, then products.
Body Copies(int count, std::int64_t us = 2,
            std::string_view name = "Memcpy HtoD (Pinned -> Device)") {
  return [=](Program& of, int) {
    for (int i = 0; i < count; ++i) of.Copy(name, us);
    of.Products(20);
  };
}

TEST(SmallCopies, GainAllButOne) {
  const Told many = TellOf(Copies(100)), one = TellOf(Copies(1));
  EXPECT_EQ(many.all, "small-copies ");
  EXPECT_NEAR(many.gain, 100 * (1 - one.mean_step / many.mean_step), 0.5) << many.title;
  EXPECT_NE(many.title.find("100 small copies a step"), std::string::npos) << many.title;
}

// Told once, whatever memory they come from.
TEST(SmallCopies, FromPageableMemoryAsWell) {
  EXPECT_EQ(TellOf(Copies(100, 2, "Memcpy HtoD (Pageable -> Device)")).all, "small-copies ");
}

TEST(SmallCopies, AreNone) {
  const auto is_told = [](const Body& body) { return TellOf(body).Has("small-copies"); };
  EXPECT_FALSE(is_told(Copies(31)));
  EXPECT_FALSE(is_told(Copies(100, 6)));
  EXPECT_FALSE(is_told(Copies(100, 2, "Memcpy DtoH (Device -> Pinned)")));
}

}  // namespace
}  // namespace rankscope
