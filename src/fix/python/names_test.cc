#include "fix/python/names.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope::fix {
namespace {

// What the function of the last call stands for.
std::string Full(std::string text) {
  const Syntax syntax = std::move(Syntax::Parse(std::move(text))).value();
  return Names(syntax).FullName(syntax.All("call").back().Field("function"));
}

TEST(Names, FollowImports) {
  EXPECT_EQ(Full("import torch.utils.data as D\nD.DataLoader()"), "torch.utils.data.DataLoader");
  EXPECT_EQ(Full("import torch.utils.data\ntorch.utils.data.DataLoader()"),
            "torch.utils.data.DataLoader");
  EXPECT_EQ(Full("from torch.utils import data as d, x\nd.DataLoader()"),
            "torch.utils.data.DataLoader");
  EXPECT_EQ(Full("from torch.utils.data import (DataLoader as L,)\nL()"),
            "torch.utils.data.DataLoader");
  EXPECT_EQ(Full("def f():\n    import gc\n    gc.collect()"), "gc.collect");
  EXPECT_EQ(Full("try:\n    import a.b as c\nexcept ImportError:\n    pass\nc.d()"), "a.b.d");
  EXPECT_EQ(Full("from . import torch\ntorch.f()"), "..torch.f");
}

TEST(Names, StandForNothingWhereTheyMayBeSomethingElse) {
  EXPECT_EQ(Full("f()"), "");
  EXPECT_EQ(Full("from a import f\nf = 3\nf()"), "");
  EXPECT_EQ(Full("from a import f\ndef g(f):\n    f()"), "");
  EXPECT_EQ(Full("from a import f\nfor f in x:\n    f()"), "");
  EXPECT_EQ(Full("from a import f\nwith x as f:\n    f()"), "");
  EXPECT_EQ(Full("from a import f\nclass f:\n    pass\nf()"), "");
  EXPECT_EQ(Full("from a import f\n[f() for f in x]"), "");
  EXPECT_EQ(Full("from a import f\nlambda f: f()"), "");
  EXPECT_EQ(Full("from a import f\n(f := 2)\nf()"), "");
  EXPECT_EQ(Full("try:\n    from a import f\nexcept ImportError:\n    from b import f\nf()"), "");
  EXPECT_EQ(Full("from a import f\nfrom b import *\nf()"), "");
}

TEST(Names, OfOtherScopesDoNotMatter) {
  EXPECT_EQ(Full("from a import f\ndef g(f):\n    pass\nf()"), "a.f");
  EXPECT_EQ(Full("from a import f\nf_ = [f for f in x]\nf()"), "a.f");
  EXPECT_EQ(Full("from b import *\nfrom a import f\nf()"), "a.f");
}

TEST(Names, TellValues) {
  const Syntax syntax = std::move(Syntax::Parse(R"(a = 1
b = 2
b += 3
def f(a, c=4):
    d = a
    e, g = d
    use(a, b, c, d, e)
)"))
                            .value();
  const Names names(syntax);
  const Node place = syntax.All("call").back();
  EXPECT_EQ(names.ValueOf("d", place).text(), "a");
  EXPECT_FALSE(names.ValueOf("a", place));  // the parameter
  EXPECT_EQ(names.ValueOf("a", syntax.root()).text(), "1");
  EXPECT_FALSE(names.ValueOf("b", place));
  EXPECT_FALSE(names.ValueOf("e", place));
  EXPECT_EQ(names.ParameterOf("c", place).text(), "c=4");
  EXPECT_FALSE(names.ParameterOf("d", place));
  EXPECT_TRUE(names.DefinitionOf("f", place));
}

TEST(Names, TellUnderWhichNameAModuleIs) {
  const Syntax syntax =
      std::move(Syntax::Parse("import torch\nimport torch.nn.functional as F\nx = 1\n")).value();
  const Names names(syntax);
  const Node place = syntax.All("assignment").back();
  EXPECT_EQ(names.ModuleName("torch", place), "torch");
  EXPECT_EQ(names.ModuleName("torch.nn.functional", place), "F");
  EXPECT_EQ(names.ModuleName("os", place), "");
}

}  // namespace
}  // namespace rankscope::fix
