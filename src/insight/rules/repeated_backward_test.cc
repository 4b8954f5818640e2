// repeated-backward: several passes through one graph.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Forward of eight products, and backward of each for every loss.
Body TrainsRepeatedBackward(int losses, bool shares_graph) {
  return [=](Program& of, int step) {
    of.Products(8);
    for (int loss = 0; loss < losses; ++loss) {
      for (int layer = 0; layer < 8; ++layer)
        of.Evaluates("MmBackward0", 100 * step + layer + (shares_graph ? 0 : 10 * loss),
                     [&] { of.Product(); });
    }
  };
}

TEST(RepeatedBackward, GainsWhatOnePassSaves) {
  const Told told = TellOf(TrainsRepeatedBackward(3, true));
  EXPECT_EQ(told.all, "repeated-backward ");
  EXPECT_NE(told.title.find("16 kernels a step, 1.60 ms in all"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain,
              100 * (1 - TellOf(TrainsRepeatedBackward(1, true)).mean_step / told.mean_step), 0.5);
}

// Each loss with a forward of its own.
TEST(RepeatedBackward, IsNotOfOtherGraphs) {
  EXPECT_FALSE(TellOf(TrainsRepeatedBackward(3, false)).Has("repeated-backward"));
}

}  // namespace
}  // namespace rankscope
