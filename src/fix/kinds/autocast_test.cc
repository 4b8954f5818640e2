#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kAutocastAsked{.kind = "autocast", .finding = "no-tensor-cores"};

TEST(Autocast, AroundForwardAndLoss) {
  EXPECT_EQ(Changes(kAutocastAsked, R"(import torch
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    x = x.cuda()
    optimizer.zero_grad()
    out = model(x)
    # The loss.
    loss = F.cross_entropy(
        out, y)
    loss.backward()
    optimizer.step()
)"),
            R"(-    out = model(x)
-    # The loss.
-    loss = F.cross_entropy(
-        out, y)
+    with torch.autocast("cuda", dtype=torch.bfloat16):
+        out = model(x)
+        # The loss.
+        loss = F.cross_entropy(
+            out, y)
)");
}

TEST(Autocast, InAFunctionWithTabs) {
  EXPECT_EQ(Changes(kAutocastAsked,
                    "import torch\ndef train(net):\n\topt = torch.optim.SGD(net.parameters())\n"
                    "\tfor x in loader:\n\t\tloss = net(x).mean()\n\t\tloss.backward()\n"),
            "-\t\tloss = net(x).mean()\n+\t\twith torch.autocast(\"cuda\", dtype=torch.bfloat16):\n"
            "+\t\t\tloss = net(x).mean()\n");
}

TEST(Autocast, OfAModelInDdp) {
  EXPECT_EQ(Changes(kAutocastAsked, R"(import torch
from torch.nn.parallel import DistributedDataParallel as DDP
ddp = DDP(net)
while True:
    loss = ddp(next(it)).loss
    loss.backward()
)"),
            R"(-    loss = ddp(next(it)).loss
+    with torch.autocast("cuda", dtype=torch.bfloat16):
+        loss = ddp(next(it)).loss
)");
}

constexpr std::string_view kBegin = R"(import torch
opt = torch.optim.SGD(model.parameters())
for x in loader:
)";

std::string WithBodyAutocast(std::string_view body) {
  return std::string(kBegin) + std::string(body);
}

TEST(Autocast, NotAroundBranches) {
  EXPECT_THAT(LeftFor(kAutocastAsked, WithBodyAutocast(R"(    loss = model(x)
    if flag:
        loss = loss * 2
    loss.backward()
)")),
              ElementsAre(HasSubstr(
                  "4: run the forward pass and the loss under torch.autocast: the forward "
                  "pass is no plain run")));
}

TEST(Autocast, NotOfALossOfProbabilities) {
  EXPECT_THAT(LeftFor(kAutocastAsked,
                      WithBodyAutocast(
                          "    loss = F.binary_cross_entropy(model(x), y)\n    loss.backward()\n")),
              ElementsAre(HasSubstr("autocast refuses binary_cross_entropy")));
}

TEST(Autocast, NotWhereTypesAreChosen) {
  EXPECT_EQ(
      Changes(kAutocastAsked,
              WithBodyAutocast("    x = x.half()\n    loss = model(x)\n    loss.backward()\n")),
      "");
  EXPECT_EQ(
      Changes(
          kAutocastAsked,
          WithBodyAutocast(
              "    with torch.autocast('cuda'):\n        loss = model(x)\n    loss.backward()\n")),
      "");
}

TEST(Autocast, NotAroundTextsOverSeveralLines) {
  EXPECT_THAT(
      LeftFor(kAutocastAsked,
              WithBodyAutocast("    loss = model(x, \"\"\"a\nb\"\"\")\n    loss.backward()\n")),
      ElementsAre(HasSubstr("a text over several lines")));
}

TEST(Autocast, NotOfAnUnknownModel) {
  EXPECT_THAT(
      LeftFor(kAutocastAsked, WithBodyAutocast("    loss = other(x)\n    loss.backward()\n")),
      ElementsAre(HasSubstr("where the forward pass begins is not certain")));
}

TEST(Autocast, WithZeroGradOutside) {
  EXPECT_EQ(Changes(kAutocastAsked, WithBodyAutocast(R"(    loss = model(x)
    opt.zero_grad()
    loss.backward()
)")),
            R"(-    loss = model(x)
+    with torch.autocast("cuda", dtype=torch.bfloat16):
+        loss = model(x)
)");
}

TEST(Autocast, WhereTheProgramMayRunWithoutCuda) {
  EXPECT_THAT(
      Changes(kAutocastAsked, WithBodyAutocast("    loss = model(x)\n    loss.backward()\n") +
                                  "print(torch.cuda.is_available())\n"),
      HasSubstr("dtype=torch.bfloat16, enabled=torch.cuda.is_available()):"));
}

TEST(Autocast, NotWhereMoreThanTheLossIsUsed) {
  for (const char* body :
       {"    out = model(x)\n    loss = f(out)\n    loss.backward()\n    keep(out.numpy())\n",
        "    h = h.detach()\n    out, h = model(x, h)\n    loss = f(out)\n    loss.backward()\n",
        "    out, h = model(x, h)\n    loss = f(out)\n    loss.backward()\n",
        "    out = model(x)\n    outs.append(out)\n    loss = f(out)\n    loss.backward()\n",
        "    self.out = model(x)\n    loss = f(self.out)\n    loss.backward()\n"}) {
    EXPECT_EQ(Changes(kAutocastAsked, WithBodyAutocast(body)), "") << body;
    EXPECT_THAT(LeftFor(kAutocastAsked, WithBodyAutocast(body)),
                ElementsAre(HasSubstr("run the forward pass and the loss")));
  }
}

TEST(Autocast, NotOnDevicesWithoutBfloat16) {
  EXPECT_EQ(Changes({.kind = "autocast",
                     .finding = "no-tensor-cores",
                     .device = {.name = "Tesla T4", .has_bf16 = false}},
                    WithBodyAutocast("    loss = model(x)\n    loss.backward()\n")),
            "");
}

}  // namespace
}  // namespace rankscope::fix
