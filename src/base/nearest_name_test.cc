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

TEST(NearestName, TakesTheFirstWordsOfAName) {
  const std::vector<std::string> names = {"kernel_steps",   "kernels_by_name", "kernels_by_rank",
                                          "copy_bandwidth", "copies",          "hta.ops"};
  EXPECT_EQ(NearestName("kernelss", names), "kernels_by_name");
  EXPECT_EQ(NearestName("kernels", names), "kernels_by_name");
  EXPECT_EQ(NearestName("kernels_by", names), "kernels_by_name");
  EXPECT_EQ(NearestName("copy", names), "copy_bandwidth");
  EXPECT_EQ(NearestName("copie", names), "copies");  // all of it goes before a beginning
  EXPECT_EQ(NearestName("karnals", names), "");      // two slips are too many for a beginning
}

TEST(NearestName, NothingIsNearToSomethingElse) {
  const std::vector<std::string> names = {"kernels_by_name", "ops"};
  EXPECT_EQ(NearestName("roofline", names), "");
  EXPECT_EQ(NearestName("xyz", names), "");  // as many letters as the name has
  const std::vector<std::string> copies = {"copies"};
  EXPECT_EQ(NearestName("nope", copies), "");  // three of its four letters would change
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName(std::string(100'000, 'k'), names), "");
  EXPECT_EQ(NearestName("ops", {}), "");
}

}  // namespace
}  // namespace rankscope
