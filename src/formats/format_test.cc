#include "formats/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

using ::testing::ElementsAre;

TEST(TraceFormats, KinetoTakesWhatNoOtherDoes) {
  EXPECT_EQ(TraceFormats().back().name, kKinetoFormat);
  EXPECT_TRUE(TraceFormats().back().is_it("anything"));
}

TEST(TraceFormats, EndingsAreEachOnce) {
  EXPECT_THAT(TraceEndings(), ElementsAre(".json", ".sqlite", ".xplane.pb"));
}

}  // namespace
}  // namespace rankscope
