#include "fleet/changes/false_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rankscope::fleet {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// By hand: m = 4, sorted p x m / rank = 0.04, 0.04, 0.0533, 0.5; the least from the right on.
TEST(FalseDiscoveryRates, AreThoseOfBenjaminiAndHochberg) {
  const std::vector<double> p = {0.02, 0.5, 0.01, 0.04};
  EXPECT_THAT(FalseDiscoveryRates(p),
              ElementsAre(DoubleNear(0.04, 1e-12), DoubleNear(0.5, 1e-12), DoubleNear(0.04, 1e-12),
                          DoubleNear(0.16 / 3, 1e-12)));
}

// The 15 p values of the paper's example: four are discoveries at q = 5 %.
TEST(FalseDiscoveryRates, ThePapersExample) {
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  int found = 0;
  for (const double q : FalseDiscoveryRates(p)) found += q <= 0.05 ? 1 : 0;
  EXPECT_EQ(found, 4);
}

TEST(FalseDiscoveryRates, Edges) {
  EXPECT_THAT(FalseDiscoveryRates({}), IsEmpty());
  EXPECT_THAT(FalseDiscoveryRates(std::vector{0.3}), ElementsAre(0.3));
  EXPECT_THAT(FalseDiscoveryRates(std::vector{1.0, 1.0}), ElementsAre(1.0, 1.0));
}

}  // namespace
}  // namespace rankscope::fleet
