// unused-forward: forward work is done for a backward that never comes.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Passes of six products forward, of which the last has a backward of twelve.
Body Passes(int passes) {
  return [=](Program& of, int step) {
    std::int64_t number = 100 * step;
    for (int pass = 0; pass < passes; ++pass) {
      number = 100 * step + 10 * pass;
      for (int i = 0; i < 6; ++i) of.Records("aten::linear", number + i, [&] { of.Product(); });
    }
    for (int i = 5; i >= 0; --i)
      of.Evaluates("AddmmBackward0", number + i, [&] { of.Products(2); });
  };
}

TEST(UnusedForward, GainsAtMostWhatItTakes) {
  const Told told = TellOf(Passes(2));
  EXPECT_EQ(told.ids, "") << "of low severity: it may be a frozen model's";
  EXPECT_EQ(told.all, "unused-forward ");
  EXPECT_EQ(told.method, "bound");
  EXPECT_NE(told.title.find("6 kernels a step, 600 us in all"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(Passes(1)).mean_step / told.mean_step), 1);
  EXPECT_FALSE(TellOf(Passes(1)).Has("unused-forward"));
}

// A pass under no_grad before that with gradients: of low severity, for it may be a teacher's.
TEST(UnusedForward, WithoutGradients) {
  const auto tell = [](bool has_shapes) {
    return TellOf([=](Program& of, int step) {
      if (has_shapes) of.HasShapes("[[64,64],[64,64]]");
      for (int i = 0; i < 6; ++i) of.Records("aten::linear", -1, [&] { of.Product(); });
      Passes(1)(of, step);
    });
  };
  const Told told = tell(true);
  EXPECT_EQ(told.ids, "");
  EXPECT_EQ(told.all, "unused-forward ");
  EXPECT_NE(told.title.find("6 kernels a step, 600 us in all"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(Passes(1)).mean_step / told.mean_step), 1);
  EXPECT_FALSE(tell(false).Has("unused-forward")) << "inputs that are not known may differ";
}

}  // namespace
}  // namespace rankscope
