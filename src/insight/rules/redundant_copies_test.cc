// redundant-copies: copies and casts on the device that could be avoided.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Copies(std::int64_t us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Product();
      if (us > 0) of.Op("aten::contiguous", "elementwise_kernel_copy", us);
    }
  };
}

TEST(RedundantCopies, BehindEachProduct) {
  ExpectFound("redundant-copies", "aten::contiguous", Copies(40), Copies(0));
}

// Ten of 1 us in a step of 1148.
TEST(RedundantCopies, LessThanAPercentOfTheStep) { EXPECT_EQ(TellOf(Copies(1)).ids, ""); }

// Another op's kernel of that name, and the optimizer's copies, are what they have to be.
TEST(RedundantCopies, OfOtherOpsAndOfTheOptimizer) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 10; ++i) {
                   of.Product();
                   of.Op("aten::add", "elementwise_kernel_copy", 40);
                 }
               }).Has("redundant-copies"));
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 of.Products(10);
                 of.Range("Optimizer.step#AdamW.step", [&] {
                   for (int i = 0; i < 10; ++i) of.Op("aten::copy_", "elementwise_kernel_copy", 40);
                 });
               }).Has("redundant-copies"));
}

}  // namespace
}  // namespace rankscope
