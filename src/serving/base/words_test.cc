#include "serving/base/words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "serving/base/moment_for_test.h"

namespace rankscope::serving {
namespace {

TEST(Words, MomentsAreReadExactly) {
  EXPECT_EQ(ToMoment("2025-11-24T16:00:00Z"), kBegin);
  EXPECT_EQ(ToMoment("2025-11-24 17:30:00.5+01:30"), kBegin + 500'000'000);
  EXPECT_EQ(ToMoment("1764000000"), kBegin);
  EXPECT_EQ(ToMoment("1764000000.000000001"), kBegin + 1);
  EXPECT_EQ(ToMoment("1764000000123"), kBegin + 123'000'000);
  EXPECT_EQ(ToMoment("1764000000123456789"), kBegin + 123'456'789);
  EXPECT_EQ(ToAccessLogMoment("24/Nov/2025:17:00:00 +0100"), kBegin);
  for (const char* wrong : {"", "x", "-1", "NaN", "1e300", "2025-13-01T00:00:00Z", "2025-11-24T"})
    EXPECT_FALSE(ToMoment(wrong)) << wrong;
}

TEST(Words, NamesOfFilesMayHaveATime) {
  EXPECT_EQ(MomentInName("metrics-1764000000.prom"), kBegin);
  EXPECT_EQ(MomentInName("scrape_20251124T160000.txt"), kBegin);
  EXPECT_EQ(MomentInName("scrape-2025-11-24T16:00:00.txt"), kBegin);
  EXPECT_EQ(MomentInName("scrape_2025-11-24_16-00-00.txt"), kBegin);
  EXPECT_EQ(MomentInName("scrape-1764000000.250000000.prom"), kBegin + 250'000'000);
  EXPECT_EQ(MomentInName("scrape-20251124160000250.prom"), kBegin + 250'000'000);
  EXPECT_EQ(FindMomentInName("a-1764000000.25-b")->end, 15u);
  // The last that can be one: hosts have numbers, too.
  EXPECT_EQ(MomentInName("host1234567890-1764000000.prom"), kBegin);
  EXPECT_EQ(MomentInName("replica20-20251124-160000-3.prom"), kBegin);
  EXPECT_EQ(MomentInName("scrape-7.txt"), std::nullopt);
  EXPECT_EQ(MomentInName("host12.prom"), std::nullopt);
}

TEST(Words, NumbersAreWholeTexts) {
  EXPECT_EQ(ToNumber("+Inf"), INFINITY);
  EXPECT_TRUE(std::isnan(*ToNumber("NaN")));
  EXPECT_EQ(ToNumber("1.5e-3"), 0.0015);
  EXPECT_FALSE(ToNumber("1.5x"));
  EXPECT_EQ(DecimalToNs("212.40", 1'000'000), 212'400'000);
  EXPECT_FALSE(DecimalToNs("-1", 1));
  EXPECT_FALSE(DecimalToNs("9223372036854775807", 1'000'000'000));
  EXPECT_FALSE(ToNs(NAN, 1e9));
  EXPECT_FALSE(ToNs(-1, 1e9));
}

TEST(Words, LinesEndWithOrWithoutCarriageReturn) {
  Lines lines("a\r\nb\n\nc");
  std::string_view line;
  std::string all;
  while (lines.Next(line)) all += "<" + std::string(line) + ">";
  EXPECT_EQ(all, "<a><b><><c>");
  EXPECT_EQ(lines.number(), 4);
}

}  // namespace
}  // namespace rankscope::serving
