#include "table/human_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace rankscope {
namespace {

TEST(GroupedInteger, SeparatesThousands) {
  EXPECT_EQ(GroupedInteger(0), "0");
  EXPECT_EQ(GroupedInteger(999), "999");
  EXPECT_EQ(GroupedInteger(1000), "1,000");
  EXPECT_EQ(GroupedInteger(-999), "-999");
  EXPECT_EQ(GroupedInteger(-1000), "-1,000");
  EXPECT_EQ(GroupedInteger(123456), "123,456");
  EXPECT_EQ(GroupedInteger(1234567), "1,234,567");
  EXPECT_EQ(GroupedInteger(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(HumanMilliseconds, AreHoursFromAnHourOn) {
  EXPECT_EQ(HumanMilliseconds(250), "250 ms");
  EXPECT_EQ(HumanMilliseconds(3'599'000), "3,600 s");
  EXPECT_EQ(HumanMilliseconds(3'600'000), "1 h");
  EXPECT_EQ(HumanMilliseconds(-931'639'939), "-259 h");
}

TEST(HumanDuration, HasThreeDigits) {
  EXPECT_EQ(HumanDuration(0), "0 ns");
  EXPECT_EQ(HumanDuration(7), "7 ns");
  EXPECT_EQ(HumanDuration(0.25), "0.25 ns");
  EXPECT_EQ(HumanDuration(812'000), "812 us");
  EXPECT_EQ(HumanDuration(12'345'678), "12.3 ms");
  EXPECT_EQ(HumanDuration(4'560'000'000), "4.56 s");
  EXPECT_EQ(HumanDuration(-4'560'000), "-4.56 ms");
  EXPECT_EQ(HumanDuration(3'600e9), "3,600 s");
}

TEST(HumanDuration, TakesTheNextUnitWhereRoundingDoes) {
  EXPECT_EQ(HumanDuration(999), "999 ns");
  EXPECT_EQ(HumanDuration(1000), "1.00 us");
  EXPECT_EQ(HumanDuration(9'994), "9.99 us");
  EXPECT_EQ(HumanDuration(9'996), "10.0 us");
  EXPECT_EQ(HumanDuration(99'960), "100 us");
  EXPECT_EQ(HumanDuration(999'400), "999 us");
  EXPECT_EQ(HumanDuration(999'600), "1.00 ms");
  EXPECT_EQ(HumanDuration(999'600'000), "1.00 s");
  EXPECT_EQ(HumanDuration(999.6e9), "1,000 s");
}

TEST(HumanBytes, IsDecimalWithThreeDigits) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(812), "812 B");
  EXPECT_EQ(HumanBytes(1'500), "1.50 kB");
  EXPECT_EQ(HumanBytes(1'500'000'000), "1.50 GB");
  EXPECT_EQ(HumanBytes(-2'000'000), "-2.00 MB");
  EXPECT_EQ(HumanBytes(999'960), "1.00 MB");
  EXPECT_EQ(HumanBytes(9e18), "9.00 EB");
}

TEST(HumanPercent, HasOneDigitBelowAHundred) {
  EXPECT_EQ(HumanPercent(12.34), "12.3%");
  EXPECT_EQ(HumanPercent(100), "100%");
  EXPECT_EQ(HumanPercent(155.7), "156%");
  EXPECT_EQ(HumanPercent(1344186.5), "x13,400");
  EXPECT_EQ(HumanPercent(-0.01), "0.0%");
  EXPECT_EQ(HumanPercent(-0.1), "-0.1%");
}

TEST(HumanDecimal, HasThreeDigitsAndWholeNumbersInFull) {
  EXPECT_EQ(HumanDecimal(0), "0");
  EXPECT_EQ(HumanDecimal(-0.0), "0");
  EXPECT_EQ(HumanDecimal(0.123456), "0.123");
  EXPECT_EQ(HumanDecimal(2), "2");
  EXPECT_EQ(HumanDecimal(999.4), "999");
  EXPECT_EQ(HumanDecimal(12345), "12,345");
  EXPECT_EQ(HumanDecimal(12345.6), "12,300");
  EXPECT_EQ(HumanDecimal(1e-7), "1e-07");
}

TEST(HumanNumbers, AreShortForAnyDouble) {
  for (const double value : {1e300, -1e300, 1e-300, 1e18, 5e-324}) {
    for (const std::string& text :
         {HumanDuration(value), HumanBytes(value), HumanPercent(value), HumanDecimal(value)}) {
      EXPECT_LE(text.size(), 24U) << text;
    }
  }
}

}  // namespace
}  // namespace rankscope
