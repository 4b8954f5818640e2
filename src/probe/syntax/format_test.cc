#include "probe/syntax/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "probe/syntax/tree.h"

namespace rankscope::probe {
namespace {

std::string MeaningOf(std::string_view text) {
  Diagnostics diagnostics;
  const SyntaxTree tree = Parse(text, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << text;
  return DumpTree(tree);
}

// Formats, and checks that it means the same and is a fixed point.
std::string Formatted(std::string_view text) {
  Diagnostics diagnostics;
  const std::optional<std::string> once = Format(text, diagnostics);
  EXPECT_TRUE(once.has_value()) << text;
  if (!once) return "";
  EXPECT_EQ(MeaningOf(*once), MeaningOf(text));
  EXPECT_EQ(Format(*once, diagnostics), once);
  return *once;
}

// The lines of a class, one to a statement, with its head.
std::string Body(const std::string& lines) {
  constexpr std::string_view kHead = "class Chip(Device):\n";
  const std::string text = Formatted(std::string(kHead) + lines);
  EXPECT_TRUE(text.starts_with(kHead)) << text;
  return text.substr(kHead.size());
}

TEST(FormatProbe, SpacesStandAsInPython) {
  EXPECT_EQ(Body("  a=file( 'x',i64 , unit = watts )\n"), "    a = file('x', i64, unit=watts)\n");
  EXPECT_EQ(Body("  a=-b+ - c*( -d)-x [ 0 ] . y\n"), "    a = -b + -c * (-d) - x[0].y\n");
  EXPECT_EQ(Body("  a=not(b)and c is   not None\n"), "    a = not (b) and c is not None\n");
  EXPECT_EQ(Body("  a=[delta( x[i] ,wrap = 32)for i in range( 8 )]\n"),
            "    a = [delta(x[i], wrap=32) for i in range(8)]\n");
  EXPECT_EQ(Body("  a=file('x',u32,na = [ 1,2 ])\n"), "    a = file('x', u32, na=[1, 2])\n");
  EXPECT_EQ(Body("  a=~b<<(2)\n"), "    a = ~b << (2)\n");
}

TEST(FormatProbe, BlankLinesSeparate) {
  EXPECT_EQ(
      Formatted(
          "\n\n# of the file\n@requires('1')\n\nclass A ( Device ) :\n\n\n  x=1\n\n\n\n  y=2\n"
          "# of B\nclass B(Device):\n  x=1\n\n"),
      "# of the file\n@requires('1')\nclass A(Device):\n    x = 1\n\n    y = 2\n\n\n"
      "# of B\nclass B(Device):\n    x = 1\n");
}

TEST(FormatProbe, LongLinesBreakAtTheirLongestBracket) {
  const std::string path(60, 'p');
  EXPECT_EQ(
      Body("  power = gauge(file('" + path + "', u64, unit=microwatts) / 1000000, unit=watts)\n"),
      "    power = gauge(\n        file('" + path +
          "', u64, unit=microwatts) / 1000000, unit=watts\n    )\n");
  EXPECT_EQ(Body("  power = f('" + path + "', '" + path + "')\n"),
            "    power = f(\n        '" + path + "',\n        '" + path + "',\n    )\n");
  // A loop has one element, which takes no comma.
  EXPECT_EQ(Body("  power = [f('" + path + "', '" + path + "') for i in range(8)]\n"),
            "    power = [\n        f(\n            '" + path + "',\n            '" + path +
                "',\n        ) for i in range(8)\n    ]\n");
}

TEST(FormatProbe, ACommaBehindTheLastElementKeepsABracketOpen) {
  EXPECT_EQ(Body("  a = struct(x=u8, y=u16,)\n"),
            "    a = struct(\n        x=u8,\n        y=u16,\n    )\n");
  EXPECT_EQ(
      Body("  a = f([1, 2,], 3)\n"),
      "    a = f(\n        [\n            1,\n            2,\n        ],\n        3,\n    )\n");
}

TEST(FormatProbe, CommentsStay) {
  EXPECT_EQ(
      Formatted("class A(Device):# what\n # first\n  x=1# one\n\n # second\n  y=2\n  # last of A\n"
                "# of the file"),
      "class A(Device):  # what\n    # first\n    x = 1  # one\n\n    # second\n    y = 2\n"
      "    # last of A\n\n\n# of the file\n");
  EXPECT_EQ(Body("  a = struct( # as in acme.h\n x=u8, # one\n # two comes\n y=u16 # two\n # no "
                 "more\n)# end\n"),
            "    a = struct(  # as in acme.h\n        x=u8,  # one\n        # two comes\n"
            "        y=u16,  # two\n        # no more\n    )  # end\n");
  EXPECT_EQ(Body("  a = f(x + # why\n y, z)\n"),
            "    a = f(\n        # why\n        x + y,\n        z,\n    )\n");
  EXPECT_EQ(Body("  a = f(g(x) # inner\n + y)\n"),
            "    a = f(\n        # inner\n        g(x) + y,\n    )\n");
  EXPECT_EQ(Formatted("# only this\n"), "# only this\n");
  EXPECT_EQ(Formatted(""), "");
}

TEST(FormatProbe, TextsStayAsTheyAre) {
  EXPECT_EQ(Body("  \"\"\"It is\n  two lines.\"\"\"\n  v='a' \"b\"\n"),
            "    \"\"\"It is\n  two lines.\"\"\"\n    v = 'a' \"b\"\n");
}

TEST(FormatProbe, AByteOrderMarkGoes) {
  EXPECT_EQ(Formatted("\xef\xbb\xbf# of A\nclass A(Device):\n  x=1\n"),
            "# of A\nclass A(Device):\n    x = 1\n");
}

TEST(FormatProbe, WrongSyntaxIsSaidAndNothingFormatted) {
  Diagnostics diagnostics;
  EXPECT_EQ(Format("class A(Device):\n  x = (1\n", diagnostics), std::nullopt);
  EXPECT_TRUE(diagnostics.has_errors());
}

}  // namespace
}  // namespace rankscope::probe
