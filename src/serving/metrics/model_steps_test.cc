#include "serving/metrics/model_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ModelCounts Of(double finished, double request_ns) {
  return {.finished = finished, .request_ns = request_ns};
}

// 300 requests of 1 s, of which three steps take 20, 960 and 20 ms; another model took as many.
TEST(ModelSteps, OfAnEnsembleByItsCountsAndTimes) {
  const ModelSteps found = StepsOf({{"ensemble", Of(300, 300e9)},
                                    {"generate", Of(300, 288e9)},
                                    {"idle", Of(0, 0)},
                                    {"post", Of(299, 6e9)},
                                    {"pre", Of(300, 6e9)},
                                    {"small", Of(9000, 9e9)}});
  EXPECT_THAT(found.ensembles, ElementsAre("ensemble"));
  EXPECT_THAT(found.steps, ElementsAre("generate", "post", "pre"));
}

// As many requests alone make no ensemble.
TEST(ModelSteps, ModelsOfTheirOwnAreNone) {
  EXPECT_THAT(StepsOf({{"embed", Of(300, 6e9)}, {"rank", Of(300, 30e9)}}).steps, IsEmpty());
  EXPECT_THAT(
      StepsOf({{"embed", Of(300, 6e9)}, {"rank", Of(300, 30e9)}, {"write", Of(300, 90e9)}}).steps,
      IsEmpty());
  EXPECT_THAT(StepsOf({{"a", Of(300, 10e9)}, {"b", Of(300, 10e9)}, {"c", Of(300, 10e9)}}).steps,
              IsEmpty());
}

}  // namespace
}  // namespace rankscope::serving
