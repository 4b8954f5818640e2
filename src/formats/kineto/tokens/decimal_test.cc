#include "formats/kineto/tokens/decimal.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace rankscope::kineto {
namespace {

__extension__ using Wide = __int128;

std::optional<std::int64_t> Micros(std::string_view text) {
  std::int64_t value = 0;
  return ParseMicros(text, value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> Integer(std::string_view text) {
  std::int64_t value = 0;
  return ParseInteger(text, value) ? std::optional(value) : std::nullopt;
}

TEST(ParseMicros, ByHand) {
  EXPECT_EQ(Micros("0"), 0);
  EXPECT_EQ(Micros("12"), 12'000);
  EXPECT_EQ(Micros("-12.345"), -12'345);
  EXPECT_EQ(Micros("12.3"), 12'300);
  EXPECT_EQ(Micros("12.34"), 12'340);
  EXPECT_EQ(Micros("0012.340"), 12'340);
  EXPECT_EQ(Micros("1.5e3"), 1'500'000);
  EXPECT_EQ(Micros("1.5E+3"), 1'500'000);
  EXPECT_EQ(Micros("2500e-3"), 2'500);
  EXPECT_EQ(Micros("-0"), 0);
  EXPECT_EQ(Micros("-0.0000"), 0);
}

// A double holds neither: 2^53 us is the year 2255, but with nanoseconds only 1970 plus 104 days.
TEST(ParseMicros, KeepsEveryNanosecondOfAnEpochTime) {
  EXPECT_EQ(Micros("1712345678901234.567"), 1'712'345'678'901'234'567);
  EXPECT_EQ(Micros("1712345678901234.568"), 1'712'345'678'901'234'568);
  EXPECT_EQ(Micros("-1712345678901234.569"), -1'712'345'678'901'234'569);
}

TEST(ParseMicros, RoundsHalfToEven) {
  EXPECT_EQ(Micros("0.0005"), 0);
  EXPECT_EQ(Micros("0.0015"), 2);
  EXPECT_EQ(Micros("0.0025"), 2);
  EXPECT_EQ(Micros("-0.0025"), -2);
  EXPECT_EQ(Micros("0.00250000000000000000000001"), 3);
  EXPECT_EQ(Micros("0.0024999999999999999999999999"), 2);
  EXPECT_EQ(Micros("0.9995"), 1'000);
  EXPECT_EQ(Micros("5e-4"), 0);
  EXPECT_EQ(Micros("15e-4"), 2);
  EXPECT_EQ(Micros("9e-5"), 0);
  EXPECT_EQ(Micros("99999e-9"), 0);
}

TEST(ParseMicros, StopsAtSixtyThreeBits) {
  EXPECT_EQ(Micros("9223372036854775.807"), INT64_MAX);
  EXPECT_EQ(Micros("-9223372036854775.807"), -INT64_MAX);
  EXPECT_EQ(Micros("9223372036854775.808"), std::nullopt);
  EXPECT_EQ(Micros("9223372036854775.8074"), INT64_MAX);
  EXPECT_EQ(Micros("9223372036854775.8075"), std::nullopt);
  EXPECT_EQ(Micros("9e18"), std::nullopt);
  EXPECT_EQ(Micros("99999999999999999999"), std::nullopt);
  EXPECT_EQ(Micros("999999999999999999999999999999999999999999"), std::nullopt);
  EXPECT_EQ(Micros("1e40"), std::nullopt);
  EXPECT_EQ(Micros("1e99999999999"), std::nullopt);
  // 2^64 - 1 nanoseconds and a half: rounding up must not come out at 0.
  EXPECT_EQ(Micros("18446744073709551.6155"), std::nullopt);
}

TEST(ParseMicros, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"",      "-",  "--1", "+1",   ".",   "e5",  "1e",  "1e+",   "1e+-5", "1e--5",
        "1.2.3", "1 ", " 1",  "0x10", "nan", "inf", "12a", "1_000", "1e5x",  "true"}) {
    EXPECT_EQ(Micros(text), std::nullopt) << text;
  }
}

TEST(ParseInteger, ByHand) {
  EXPECT_EQ(Integer("0"), 0);
  EXPECT_EQ(Integer("-7"), -7);
  EXPECT_EQ(Integer("123456789012345678"), 123'456'789'012'345'678);
  EXPECT_EQ(Integer("12.0"), 12);
  EXPECT_EQ(Integer("-12.000"), -12);
  EXPECT_EQ(Integer("1e3"), 1'000);
  EXPECT_EQ(Integer("1.5e1"), 15);
  EXPECT_EQ(Integer("150e-1"), 15);
  EXPECT_EQ(Integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(Integer("-9223372036854775808"), INT64_MIN);
}

TEST(ParseInteger, RefusesFractionsAndOverflow) {
  for (const char* text :
       {"", "-", "12.5", "15e-1", "1e-3", "0.1", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1844674407370955161.55e1", "1e19", "7 ", "12345678x", "0x10"}) {
    EXPECT_EQ(Integer(text), std::nullopt) << text;
  }
}

// Every length of plain digits takes its path through the reader of eight digits at a time.
TEST(ParseInteger, EveryLengthOfDigits) {
  std::string text;
  std::int64_t expected = 0;
  for (int length = 1; length <= 18; ++length) {
    const int digit = (length * 7 + 2) % 10;
    text += static_cast<char>('0' + digit);
    expected = expected * 10 + digit;
    EXPECT_EQ(Integer(text), expected) << text;
    EXPECT_EQ(Integer("-" + text), -expected) << text;
    const bool fits = static_cast<Wide>(expected) * 1000 <= static_cast<Wide>(INT64_MAX);
    EXPECT_EQ(Micros(text), fits ? std::optional(expected * 1000) : std::nullopt) << text;
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string broken = text;
      broken[at] = at % 2 == 0 ? ':' : '/';  // the neighbours of the digits
      EXPECT_EQ(Integer(broken), std::nullopt) << broken;
    }
  }
}

// digits * 10^exponent microseconds in nanoseconds, half to even, by arithmetic of 128 bits.
std::optional<std::int64_t> Expected(std::int64_t digits, int exponent) {
  Wide value = digits < 0 ? -static_cast<Wide>(digits) : digits;
  exponent += 3;
  for (; exponent > 0; --exponent) {
    value *= 10;
    if (value > static_cast<Wide>(INT64_MAX)) return std::nullopt;
  }
  Wide divisor = 1;
  for (; exponent < 0; ++exponent) divisor *= 10;
  const Wide rest = value % divisor;
  value /= divisor;
  if (rest * 2 > divisor || (rest * 2 == divisor && value % 2 != 0)) ++value;
  if (value > static_cast<Wide>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(digits < 0 ? -value : value);
}

TEST(ParseMicros, EqualsLongArithmeticOnRandomDecimals) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200'000; ++round) {
    auto digits = static_cast<std::int64_t>(random() >> (1 + random() % 63));
    // Ends in 5 or 50 often, where rounding is decided.
    if (random() % 4 == 0) digits = digits / 100 * 100 + (random() % 2 == 0 ? 50 : 5);
    if (digits < 0) digits = -digits;
    const int decimals = static_cast<int>(random() % 9);
    const int exponent = random() % 3 == 0 ? static_cast<int>(random() % 13) - 6 : 0;
    std::string text = fmt::format("{:0{}}", digits, decimals + 1);
    if (decimals > 0) text.insert(text.size() - static_cast<std::size_t>(decimals), ".");
    if (exponent != 0) text += fmt::format("{}{}", random() % 2 == 0 ? "e" : "E", exponent);
    ASSERT_EQ(Micros(text), Expected(digits, exponent - decimals)) << text;
    ASSERT_EQ(Micros("-" + text), Expected(-digits, exponent - decimals)) << text;
  }
}

}  // namespace
}  // namespace rankscope::kineto
