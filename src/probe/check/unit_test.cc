#include "probe/check/unit.h"

#include <gtest/gtest.h>

namespace rankscope::probe {
namespace {

Unit Of(const char* name) { return *FindUnit(name); }

TEST(Unit, FollowsArithmetic) {
  EXPECT_EQ(Over(Of("joules"), Of("seconds")), Of("watts"));
  EXPECT_EQ(Over(Of("nanoseconds"), Of("nanoseconds")), Of("ratio"));
  EXPECT_EQ(Times(Of("watts"), Of("seconds")), Of("joules"));
  EXPECT_EQ(Over(Plain(), Of("seconds")), Of("hertz"));
  EXPECT_EQ(Over(Of("bytes"), Of("seconds")), Of("bytes_per_second"));
  EXPECT_EQ(Over(kNoUnit, Of("seconds")), kNoUnit);
}

TEST(Unit, ScalesAreChangedByPowersAlone) {
  EXPECT_EQ(Rescaled(Of("millicelsius"), 1.0 / 1000), Of("celsius"));
  EXPECT_EQ(Rescaled(Of("microjoules"), 1e-6), Of("joules"));
  EXPECT_EQ(Rescaled(Of("mebibytes"), 1024 * 1024), Of("bytes"));
  EXPECT_EQ(Rescaled(Of("percent"), 0.01), Of("ratio"));
  EXPECT_EQ(Rescaled(Of("watts"), 2), std::nullopt);
  EXPECT_EQ(Rescaled(Of("watts"), 1), std::nullopt);
  EXPECT_EQ(Rescaled(kNoUnit, 1000), std::nullopt);
}

TEST(Unit, HasAName) {
  EXPECT_EQ(UnitText(Of("celsius")), "celsius");
  EXPECT_EQ(UnitText(Over(Of("joules"), Of("bytes"))), "joule / byte");
  EXPECT_EQ(UnitText(Times(Of("milliwatts"), Of("watts"))), "10^-3 joule^2 / second^2");
  EXPECT_EQ(UnitText(kNoUnit), "no stated unit");
  for (const std::string& name : UnitNames()) EXPECT_TRUE(FindUnit(name)) << name;
}

}  // namespace
}  // namespace rankscope::probe
