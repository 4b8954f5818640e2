#include "hta/short_name.h"

#include <gtest/gtest.h>

namespace rankscope::hta {
namespace {

TEST(ShortName, LeavesOutTypesAndArguments) {
  EXPECT_EQ(ShortName("void at::native::copy<4, pair<int>>(int, char)"), "at::native::copy");
  EXPECT_EQ(ShortName("void nccl::reduce<f(int)->int>(float*)"), "nccl::reduce");
  EXPECT_EQ(ShortName("aten::add"), "aten::add");
  EXPECT_EQ(ShortName("TorchDynamo Cache Lookup"), "TorchDynamo Cache Lookup");
  EXPECT_EQ(ShortName("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD (Pinned -> Device)");
}

TEST(ShortName, OfUnbalancedBracketsIsWhatHtaMakesOfThem) {
  EXPECT_EQ(ShortName("a<b c"), "c") << "never closed, so kept";
  EXPECT_EQ(ShortName("(a) b> c"), "c") << "never opened, so everything before it goes";
  EXPECT_EQ(ShortName("operator<<(x)"), "operator<<");
  EXPECT_EQ(ShortName(""), "");
}

}  // namespace
}  // namespace rankscope::hta
