#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kOptimizerAsked{.kind = "optimizer", .finding = "unfused-optimizer"};

TEST(Optimizer, FusedWhereTheModelIsOnItsDevice) {
  EXPECT_EQ(Changes(kOptimizerAsked, R"(import torch
model = Net().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
)"),
            R"(-optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
+optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
)");
}

TEST(Optimizer, FusedWhereThereIsADevice) {
  EXPECT_EQ(Changes(kOptimizerAsked, R"(import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
model = Net().to(device)
optimizer = torch.optim.AdamW(model.parameters())
)"),
            R"(-optimizer = torch.optim.AdamW(model.parameters())
+optimizer = torch.optim.AdamW(model.parameters(), fused=torch.cuda.is_available())
)");
}

TEST(Optimizer, FusedInPlaceOfNothingAtOnce) {
  EXPECT_EQ(Changes(kOptimizerAsked, R"(from torch import optim

def main():
    model = Net()
    model.cuda()
    opt = optim.Adam(model.parameters(), lr=3e-4, foreach=False, weight_decay=0.1)
)"),
            R"(-    opt = optim.Adam(model.parameters(), lr=3e-4, foreach=False, weight_decay=0.1)
+    opt = optim.Adam(model.parameters(), lr=3e-4, weight_decay=0.1, fused=True)
)");
}

TEST(Optimizer, ForeachWhereTheModelMayBeOnTheHost) {
  EXPECT_EQ(Changes(kOptimizerAsked, R"(from torch.optim import AdamW

def make(model):
    return AdamW(model.parameters())
)"),
            R"(-    return AdamW(model.parameters())
+    return AdamW(model.parameters(), foreach=True)
)");
}

TEST(Optimizer, ForeachWhereSomethingElseIsOnADevice) {
  EXPECT_EQ(Changes(kOptimizerAsked, R"(import torch
x = torch.randn(3).cuda()
model = Net().to(torch.bfloat16)
o = torch.optim.Adam(model.parameters())
)"),
            R"(-o = torch.optim.Adam(model.parameters())
+o = torch.optim.Adam(model.parameters(), foreach=True)
)");
}

TEST(Optimizer, ForeachOfOthers) {
  EXPECT_EQ(Changes(kOptimizerAsked, R"(import torch.optim as O
model = Net().cuda()
sgd = O.SGD(model.parameters(), lr=0.1, foreach=False)
)"),
            R"(-sgd = O.SGD(model.parameters(), lr=0.1, foreach=False)
+sgd = O.SGD(model.parameters(), lr=0.1, foreach=True)
)");
}

TEST(Optimizer, TheOneWhoseStepStacksShow) {
  EXPECT_EQ(Changes({.kind = "optimizer", .finding = "unfused-optimizer", .lines = {4}},
                    R"(import torch
a = torch.optim.Adam(net.parameters())
b = torch.optim.Adam(other.parameters())
b.step()
)"),
            R"(-b = torch.optim.Adam(other.parameters())
+b = torch.optim.Adam(other.parameters(), foreach=True)
)");
}

TEST(Optimizer, NotWhereItIsFusedOrForeach) {
  for (const char* argument : {"fused=True", "foreach=True", "fused=flag"}) {
    EXPECT_EQ(
        Changes(kOptimizerAsked,
                "import torch\nm.cuda()\no = torch.optim.AdamW(m.parameters(), foreach=True, " +
                    std::string(argument) + ")\n"),
        "");
  }
}

TEST(Optimizer, NotWithoutSuchAForm) {
  EXPECT_THAT(LeftFor(kOptimizerAsked, "import torch\no = torch.optim.LBFGS(m.parameters())\n"),
              ElementsAre(HasSubstr("2: LBFGS has neither")));
}

TEST(Optimizer, NotWithAGroupForEachParameter) {
  EXPECT_THAT(LeftFor(kOptimizerAsked, R"(import torch
o = torch.optim.AdamW([{"params": [p], "lr": 1e-3} for p in m.parameters()])
)"),
              ElementsAre(HasSubstr("each parameter is a group of its own")));
}

TEST(Optimizer, NotOfAScheduler) {
  EXPECT_EQ(Changes(kOptimizerAsked, "import torch\ns = torch.optim.lr_scheduler.StepLR(o, 3)\n"),
            "");
}

TEST(Optimizer, NotOfOneOfTheProgram) {
  EXPECT_EQ(Changes(kOptimizerAsked, "from mine import AdamW\no = AdamW(m.parameters())\n"), "");
}

}  // namespace
}  // namespace rankscope::fix
