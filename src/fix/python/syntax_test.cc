#include "fix/python/syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rankscope::fix {
namespace {

Syntax Parsed(std::string text) { return std::move(Syntax::Parse(std::move(text))).value(); }

TEST(Syntax, NodesHaveKindsFieldsAndLines) {
  const Syntax syntax = Parsed("# a comment\nx = f(1,\n      b=2)\n");
  EXPECT_EQ(syntax.error_line(), 0);
  const Node call = syntax.All("call").at(0);
  EXPECT_EQ(call.line(), 2);
  EXPECT_EQ(call.Field("function").text(), "f");
  EXPECT_EQ(call.field(), "right");
  EXPECT_EQ(call.parent().Field("left").text(), "x");
  ASSERT_EQ(call.Field("arguments").children().size(), 2U);
  EXPECT_EQ(call.Field("arguments").children()[1].line(), 3);
  EXPECT_TRUE(call.Around("module"));
  EXPECT_FALSE(call.Around("class_definition"));
  EXPECT_FALSE(syntax.root().parent());
  // A comment is no child.
  EXPECT_EQ(syntax.root().children().size(), 1U);
}

TEST(Syntax, ANodeThatIsNotThereIsEmpty) {
  const Node none = Parsed("x").root().Field("nothing");
  EXPECT_FALSE(none);
  EXPECT_EQ(none.text(), "");
  EXPECT_EQ(none.line(), 0);
  EXPECT_TRUE(none.children().empty());
  EXPECT_TRUE(none.All("call").empty());
  EXPECT_FALSE(none.parent());
}

TEST(Syntax, SaysWhereNoPythonIs) {
  EXPECT_EQ(Parsed("x = 1\ny = = 2\n").error_line(), 2);
  EXPECT_EQ(Parsed("def f(:\n    pass\n").error_line(), 1);
  EXPECT_EQ(Parsed("").error_line(), 0);
  EXPECT_EQ(Parsed("match x:\n    case [1, *_]:\n        pass\n").error_line(), 0);
  EXPECT_EQ(Parsed("x: list[int] = [y := 1]\nasync def f(a, /, *, b): await a\n").error_line(), 0);
}

TEST(Syntax, StandsDeepNesting) {
  const Syntax syntax = Parsed(std::string(20'000, '(') + "1" + std::string(20'000, ')'));
  EXPECT_EQ(syntax.root().begin(), 0U);
}

TEST(Syntax, KeepsItsTextWhenItIsMoved) {
  Syntax first = Parsed("a");
  const Syntax second = std::move(first);
  EXPECT_EQ(second.root().text(), "a");
}

}  // namespace
}  // namespace rankscope::fix
