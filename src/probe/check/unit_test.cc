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

TEST(Unit, SaysHowToConvert) {
  EXPECT_EQ(Conversion(Of("millicelsius"), Of("celsius")), "divide by 1000");
  EXPECT_EQ(Conversion(Of("kilohertz"), Of("hertz")), "multiply by 1000");
  EXPECT_EQ(Conversion(Of("mebibytes"), Of("bytes")), "multiply by 1048576");
  EXPECT_EQ(Conversion(Of("percent"), Of("ratio")), "divide by 100");
  EXPECT_EQ(Conversion(Over(Of("mebibytes"), Of("milliseconds")), Of("bytes_per_second")),
            "multiply by 1048576 and multiply by 1000");
  EXPECT_EQ(Conversion(Of("millijoules"), Of("watts")),
            "no factor converts one to the other; is the unit= of its source right?");
  EXPECT_EQ(Agreement(Of("milliwatts"), Of("watts")), "divide the first by 1000");
  EXPECT_EQ(Agreement(Of("watts"), Of("microwatts")), "divide the second by 1000000");
  EXPECT_EQ(Agreement(Of("gibibytes"), Of("bytes")), "divide the second by 1073741824");
  EXPECT_EQ(Agreement(Of("watts"), Of("celsius")),
            "no factor converts one to the other; is the unit= of their sources right?");
}

// What is advised is what the language takes as a conversion.
TEST(Unit, AdviceConverts) {
  int advised = 0;
  for (const std::string& from : UnitNames()) {
    for (const std::string& to : UnitNames()) {
      const Unit a = Of(from.c_str()), b = Of(to.c_str());
      double number = 0;
      const std::string text = Conversion(a, b);
      if (a == b || text.find(" and ") != std::string::npos) continue;
      const bool divides = std::sscanf(text.c_str(), "divide by %lf", &number) == 1;
      if (!divides && std::sscanf(text.c_str(), "multiply by %lf", &number) != 1) continue;
      ++advised;
      EXPECT_EQ(Rescaled(a, divides ? 1 / number : number), b) << from << " " << to << ": " << text;
    }
  }
  EXPECT_GT(advised, 20);
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
