#include <gtest/gtest.h>

#include <string>

#include "probe/syntax/tree.h"

namespace rankscope::probe {
namespace {

std::string TreeOf(const std::string& expression) {
  Diagnostics diagnostics;
  const std::string text = "class A(Device):\n    x = " + expression + "\n";
  std::string tree = DumpTree(Parse(text, diagnostics));
  for (const Diagnostic& one : diagnostics.Sorted()) tree += one.message;
  const std::string head = "(class A\n  (assign x ";
  return tree.starts_with(head) ? tree.substr(head.size(), tree.size() - head.size() - 3) : tree;
}

// tests/probe_test.py compares thousands of files with Python's own parser.
TEST(Syntax, OperatorsNestAsInPython) {
  EXPECT_EQ(TreeOf("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(TreeOf("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(TreeOf("-a * b"), "(* (neg a) b)");
  EXPECT_EQ(TreeOf("not a == b"), "(not (== a b))");
  EXPECT_EQ(TreeOf("not a and b or c"), "(or (and (not a) b) c)");
  EXPECT_EQ(TreeOf("a | b ^ c & d << e + f"), "(| a (^ b (& c (<< d (+ e f)))))");
  EXPECT_EQ(TreeOf("a < b | c"), "(< a (| b c))");
  EXPECT_EQ(TreeOf("~a[0].b(c)"), "(invert (call (attribute b (subscript a 0)) c))");
  EXPECT_EQ(TreeOf("a if b else c if d else e"), "(conditional a b (conditional c d e))");
  EXPECT_EQ(TreeOf("a is not None"), "(is not a None)");
  EXPECT_EQ(TreeOf("(a < b) < c"), "(< (< a b) c)");
}

TEST(Syntax, ListsCallsAndLiterals) {
  EXPECT_EQ(TreeOf("[a[i] for i in range(8)]"), "(comprehension i (subscript a i) (call range 8))");
  EXPECT_EQ(TreeOf("f(a, b=1, c=[2, 3,],)"), "(call f a (b= 1) (c= (list 2 3)))");
  EXPECT_EQ(TreeOf("0xFF"), "255");
  EXPECT_EQ(TreeOf("1_000"), "1000");
  EXPECT_EQ(TreeOf("0b101"), "5");
  EXPECT_EQ(TreeOf("0.5"), "(real 0x1p-1)");
  EXPECT_EQ(TreeOf("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(TreeOf("'a\\'' \"b\\n\""), "\"a'b\\n\"");
  EXPECT_EQ(TreeOf("f(  # why\n  a,\n\n  b)"), "(call f a b)");
}

TEST(Syntax, WhatFollowsAMistakeIsStillRead) {
  Diagnostics diagnostics;
  const SyntaxTree tree =
      Parse("class A(Device):\n    a = 1 +\n    b = 2\n\nclass B(Device):\n    c = ]\n    d = 3\n",
            diagnostics);
  EXPECT_EQ(DumpTree(tree),
            "(class A\n  (assign a )\n  (assign b 2))\n(class B\n  (assign c )\n  (assign d 3))\n");
  EXPECT_EQ(diagnostics.Sorted().size(), 2u);
}

TEST(Syntax, HostileFilesAreBounded) {
  for (const std::string part : {"(", "[", "{", "-", "not ", "a.", "a(", "a[", "a if ", "1+", "'",
                                 "@", "\n ", "\t", "x=", "if ", "else "}) {
    std::string many = "class A(Device):\n    x = ";
    while (many.size() < 300'000) many += part;
    Diagnostics diagnostics;
    (void)Parse(many, diagnostics);
    EXPECT_TRUE(diagnostics.has_errors()) << part;
  }
  Diagnostics diagnostics;
  (void)Parse(std::string(kMostFileBytes + 1, 'x'), diagnostics);
  ASSERT_EQ(diagnostics.Sorted().size(), 1u);
  EXPECT_EQ(diagnostics.Sorted()[0].message, "this file has more than 1048576 bytes");
}

}  // namespace
}  // namespace rankscope::probe
