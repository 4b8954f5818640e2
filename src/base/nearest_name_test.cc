#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope {
namespace {

TEST(NearestName, TakesTheFewestLetters) {
  const std::vector<std::string> names = {"kernels_by_name", "kernels_by_rank", "ops_by_name",
                                          "copies"};
  EXPECT_EQ(NearestName("kernel_by_name", names), "kernels_by_name");
  EXPECT_EQ(NearestName("kernels_by_nmae", names), "kernels_by_name");  // swapped
  EXPECT_EQ(NearestName("kernels_by_rnk", names), "kernels_by_rank");
  EXPECT_EQ(NearestName("copys", names), "copies");
  EXPECT_EQ(NearestName("ops_by_name", names), "ops_by_name");
}

TEST(NearestName, NothingIsNearToSomethingElse) {
  const std::vector<std::string> names = {"kernels_by_name", "ops"};
  EXPECT_EQ(NearestName("roofline", names), "");
  EXPECT_EQ(NearestName("xyz", names), "");  // as many letters as the name has
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName(std::string(100'000, 'k'), names), "");
  EXPECT_EQ(NearestName("ops", {}), "");
}

}  // namespace
}  // namespace rankscope
