// few-blocks: long kernels that leave most of the device idle.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Sums along one long row, 4 ms of `blocks` blocks, in a step of 8 products.
Body Scans(std::int32_t blocks, std::int64_t us = 4000,
           std::string_view kernel = "tensor_kernel_scan") {
  return [=](Program& of, int) {
    of.Op("aten::cumsum", kernel, us);
    of.Blocks(blocks);
    for (int i = 0; i < 8; ++i) {
      of.Product();
      of.Blocks(512);
    }
  };
}

TEST(FewBlocks, OneBlockCouldBeTwenty) {
  const Told told = TellOf(Scans(1));
  EXPECT_EQ(told.first(), "few-blocks") << told.all;
  // 1 of 40 units, half as well as that could be: a twentieth remains.
  EXPECT_NEAR(told.gain, 100 * 4000 * (1 - 2 / 40.0) / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("kernels of one block take 4.00 ms a step, all of aten::cumsum"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("A row is one block's"), std::string::npos) << told.change;
}

TEST(FewBlocks, EightAreFewNineAreNot) {
  EXPECT_NEAR(TellOf(Scans(8)).gains["few-blocks"],
              100 * 4000 * (1 - 16 / 40.0) / TellOf(Scans(8)).mean_step, 0.5);
  EXPECT_FALSE(TellOf(Scans(9)).Has("few-blocks"));
}

TEST(FewBlocks, IsNotOfShortKernelsNorOfThoseThatOnlyWait) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 40; ++i) {
                   of.Op("aten::cumsum", "tensor_kernel_scan", 49);
                   of.Blocks(1);
                 }
                 of.Products(8);
               }).Has("few-blocks"));
  EXPECT_FALSE(TellOf(Scans(1, 4000, "spin_kernel(long)")).Has("few-blocks"));
}

// Nothing is known of a kernel whose launch was not recorded.
TEST(FewBlocks, IsNotWhereBlocksAreUnknown) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 of.Op("aten::cumsum", "tensor_kernel_scan", 4000);
                 of.Products(8);
               }).Has("few-blocks"));
}

}  // namespace
}  // namespace rankscope
