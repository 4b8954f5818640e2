#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

const Asked kZeroGradAsked{.kind = "zero-grad", .finding = "memory-pressure"};

TEST(ZeroGrad, OfAnOptimizer) {
  EXPECT_EQ(Changes(kZeroGradAsked, R"(for x in loader:
    optimizer.zero_grad(set_to_none=False)
    model(x).backward()
)"),
            R"(-    optimizer.zero_grad(set_to_none=False)
+    optimizer.zero_grad()
)");
}

TEST(ZeroGrad, OfAModelInAFunction) {
  EXPECT_EQ(Changes(kZeroGradAsked, R"(def step(self, x):
    self.model.zero_grad( set_to_none = False )
)"),
            R"(-    self.model.zero_grad( set_to_none = False )
+    self.model.zero_grad()
)");
}

TEST(ZeroGrad, ByHand) {
  EXPECT_EQ(Changes(kZeroGradAsked, R"(for p in model.parameters():
    if p.grad is not None:
        p.grad.zero_()
)"),
            R"(-        p.grad.zero_()
+        p.grad = None
)");
}

TEST(ZeroGrad, NotWhereItIsRight) {
  for (const char* call :
       {"o.zero_grad()", "o.zero_grad(set_to_none=True)", "o.zero_grad(set_to_none=flag)"})
    EXPECT_EQ(Changes(kZeroGradAsked, std::string(call) + "\n"), "");
}

TEST(ZeroGrad, NotWhereGradientsAreUsed) {
  for (const char* line : {"p.grad = g", "p.grad.mul_(2)", "p.grad /= 3", "all_reduce(p.grad)",
                           "p.grad.data.clamp_(-1, 1)"}) {
    const std::string program = "o.zero_grad(set_to_none=False)\n" + std::string(line) + "\n";
    EXPECT_EQ(Changes(kZeroGradAsked, program), "") << line;
    EXPECT_EQ(LeftFor(kZeroGradAsked, program).size(), 1U);
  }
}

TEST(ZeroGrad, NotOfOtherTensors) {
  EXPECT_EQ(Changes(kZeroGradAsked,
                    "for p in model.parameters():\n    p.momentum.zero_()\n    p.zero_()\n"),
            "");
}

TEST(ZeroGrad, NotOutsideOfALoopOverParameters) {
  EXPECT_EQ(Changes(kZeroGradAsked, "p.grad.zero_()\nfor p in things:\n    p.grad.zero_()\n"), "");
}

TEST(ZeroGrad, NotWhereItsValueIsUsed) {
  EXPECT_EQ(Changes(kZeroGradAsked, "for p in m.parameters():\n    keep(p.grad.zero_())\n"), "");
}

}  // namespace
}  // namespace rankscope::fix
