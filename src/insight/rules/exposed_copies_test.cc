// exposed-copies: copies between host and device hold up computing.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Body Offloads(std::string_view name, std::int64_t us) {
  return [=](Program& of, int) {
    of.Products(5);
    of.Copy(name, us);
    of.Products(5);
  };
}

TEST(ExposedCopies, OnTheStreamOfComputing) {
  const Told told = TellOf(Offloads("Memcpy DtoH (Device -> Pinned)", 500));
  EXPECT_EQ(told.first(), "exposed-copies");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NEAR(told.gain, 100 * 500 / told.mean_step, 1);
}

// What stays on the device is no matter of the link.
TEST(ExposedCopies, WithinTheDeviceAreNot) {
  EXPECT_FALSE(TellOf(Offloads("Memcpy DtoD (Device -> Device)", 500)).Has("exposed-copies"));
}

}  // namespace
}  // namespace rankscope
