#include "formats/kineto/tokens/text.h"

#include <gtest/gtest.h>

namespace rankscope::kineto {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string Unescaped(std::string_view text) {
  std::string out = "left over";
  Unescape(text, out);
  return out;
}

std::string Minified(std::string_view text) {
  std::string out = "left over";
  Minify(text, out);
  return out;
}

TEST(Unescape, Simple) {
  EXPECT_EQ(Unescaped(""), "");
  EXPECT_EQ(Unescaped("plain"), "plain");
  EXPECT_EQ(Unescaped(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(Unescaped(R"(a\nb\\nc)"), "a\nb\\nc");
}

TEST(Unescape, CodePointsOfEveryLength) {
  EXPECT_EQ(Unescaped(R"(\u0041)"), "A");
  EXPECT_EQ(Unescaped(R"(\u0000x)"), std::string("\0x", 2));
  EXPECT_EQ(Unescaped(R"(\u00e9)"), "\xC3\xA9");
  EXPECT_EQ(Unescaped(R"(\u20AC)"), "\xE2\x82\xAC");
  EXPECT_EQ(Unescaped(R"(\uFFFF)"), "\xEF\xBF\xBF");
  EXPECT_EQ(Unescaped(R"(\ud83d\ude00!)"), "\xF0\x9F\x98\x80!");
  EXPECT_EQ(Unescaped(R"(\uD800\uDC00)"), "\xF0\x90\x80\x80");
  EXPECT_EQ(Unescaped(R"(\uDBFF\uDFFF)"), "\xF4\x8F\xBF\xBF");
}

TEST(Unescape, LoneSurrogatesAreReplaced) {
  EXPECT_EQ(Unescaped(R"(\ud83d)"), kReplacement);
  EXPECT_EQ(Unescaped(R"(\ude00x)"), std::string(kReplacement) + "x");
  EXPECT_EQ(Unescaped(R"(\ud83d\n)"), std::string(kReplacement) + "\n");
  EXPECT_EQ(Unescaped(R"(\ud83d\u0041)"), std::string(kReplacement) + "A");
  EXPECT_EQ(Unescaped(R"(\ud83d\ud83d\ude00)"), std::string(kReplacement) + "\xF0\x9F\x98\x80");
}

TEST(Unescape, DamagedEscapesLoseNothingElse) {
  EXPECT_EQ(Unescaped(R"(\u)"), kReplacement);
  EXPECT_EQ(Unescaped(R"(\u12)"), kReplacement);
  EXPECT_EQ(Unescaped(R"(\ud8)"), kReplacement);
  EXPECT_EQ(Unescaped(R"(\u12xy)"), std::string(kReplacement) + "xy");
  EXPECT_EQ(Unescaped(R"(\uZZZZ\uDC00)"), std::string(kReplacement) + "ZZZZ" + kReplacement);
  EXPECT_EQ(Unescaped(R"(\ud83d\uZZZZ)"), std::string(kReplacement) + kReplacement + "ZZZZ");
  EXPECT_EQ(Unescaped(R"(\x41)"), std::string(kReplacement) + "41");
  EXPECT_EQ(Unescaped("\\\xC3\xA9"), std::string(kReplacement) + "\xC3\xA9");
  EXPECT_EQ(Unescaped("\\u123\xC3\xA9"), std::string(kReplacement) + "\xC3\xA9");
  EXPECT_EQ(Unescaped("end\\"), "end\\");
}

TEST(Minify, DropsWhiteSpaceOutsideStringsOnly) {
  EXPECT_EQ(Minified("[ [2, 3],\n\t[ ] ]"), "[[2,3],[]]");
  EXPECT_EQ(Minified(R"(["a b", "c\" d" , "\\" , 1])"), R"(["a b","c\" d","\\",1])");
  EXPECT_EQ(Minified(""), "");
  EXPECT_EQ(Minified("\"open \\"), "\"open \\");
}

struct Repaired {
  std::string text;
  bool control = false;
  bool utf8 = false;
  friend bool operator==(const Repaired&, const Repaired&) = default;
};

Repaired Repair(std::string_view text) {
  Repaired result;
  const Repairs repairs = RepairText(text, result.text);
  result.control = repairs.control;
  result.utf8 = repairs.utf8;
  return result;
}

TEST(RepairText, LeavesGoodTextAlone) {
  const std::string good = "{\"a\xC3\xA9\":\n\t\"\xE2\x82\xAC\xF0\x9F\x98\x80 \\\"\"}";
  EXPECT_EQ(Repair(good), (Repaired{good, false, false}));
}

TEST(RepairText, ControlCharactersInStringsBecomeSpaces) {
  EXPECT_EQ(Repair("{\"a\nb\":\n\"\x01\x1F\x7F\"}"),
            (Repaired{"{\"a b\":\n\"  \x7F\"}", true, false}));
  EXPECT_EQ(Repair("\"\\\"\n\"\n"), (Repaired{"\"\\\" \"\n", true, false}));
}

TEST(RepairText, EveryKindOfBadUtf8IsReplaced) {
  const std::string r = kReplacement;
  const std::pair<std::string, std::string> cases[] = {
      {"\x80", r},                              // a continuation alone
      {"\xC3", r},                              // cut off
      {"\xC3x", r + "x"},                       //
      {"\xE2\x82", r + r},                      //
      {"\xE2\x82x", r + r + "x"},               //
      {"\xF0\x9F\x98", r + r + r},              //
      {"\xC0\x80", r + r},                      // overlong
      {"\xC1\xBF", r + r},                      //
      {"\xE0\x9F\xBF", r + r + r},              //
      {"\xF0\x8F\xBF\xBF", r + r + r + r},      //
      {"\xED\xA0\x80", r + r + r},              // a surrogate
      {"\xF4\x90\x80\x80", r + r + r + r},      // beyond U+10FFFF
      {"\xF5\x80\x80\x80", r + r + r + r},      //
      {"\xFF\xFE", r + r},                      //
      {"\xC2\x80\xDF\xBF", "\xC2\x80\xDF\xBF"}  // the good ends of two bytes
  };
  for (const auto& [bad, repaired] : cases) {
    const bool is_good = bad == repaired;
    EXPECT_EQ(Repair("\"" + bad + "\""), (Repaired{"\"" + repaired + "\"", false, !is_good}));
  }
  for (const std::string good : {"\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                                 "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(Repair(good), (Repaired{good, false, false}));
  }
}

}  // namespace
}  // namespace rankscope::kineto
