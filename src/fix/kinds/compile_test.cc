#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kCompileAsked{.kind = "compile", .finding = "launch-bound"};

TEST(Compile, BehindTheModel) {
  EXPECT_EQ(Changes(kCompileAsked, R"(import torch
model = Net().cuda()
optimizer = torch.optim.AdamW(model.parameters())
)"),
            "+model.compile()\n");
}

TEST(Compile, BehindWhatPlacesIt) {
  EXPECT_EQ(Changes(kCompileAsked, R"(import torch

def main():
    net = Net()
    net.to(device)
    net.train()
    opt = torch.optim.AdamW(net.parameters())
)"),
            "+    net.compile()\n");
}

TEST(Compile, BeforeDdp) {
  const std::string program = R"(import torch
from torch.nn.parallel import DistributedDataParallel as DDP
model = Net()
model = model.to(rank)
model = DDP(model, device_ids=[rank])
optimizer = torch.optim.AdamW(model.parameters())
)";
  EXPECT_EQ(Changes(kCompileAsked, program), "+model.compile()\n");
  const Patches patches = PatchesFor(kCompileAsked, program);
  EXPECT_THAT(patches.files.at(0).after,
              HasSubstr("model = model.to(rank)\nmodel.compile()\nmodel = DDP("));
}

TEST(Compile, NotWhereTheProgramDoes) {
  for (const char* line : {"model = torch.compile(model)", "model.compile(mode='max-autotune')",
                           "model = torch.jit.script(model)"})
    EXPECT_EQ(Changes(kCompileAsked, "import torch\nmodel = Net()\n" + std::string(line) +
                                         "\no = torch.optim.SGD(model.parameters())\n"),
              "");
}

TEST(Compile, NotOfAModelThatIsGiven) {
  EXPECT_THAT(LeftFor(kCompileAsked, R"(import torch
def train(model):
    o = torch.optim.SGD(model.parameters())
)"),
              ElementsAre(HasSubstr(
                  "3: compile the model (torch.compile): where it is made is not certain")));
}

TEST(Compile, NotOfOneOfSeveral) {
  EXPECT_THAT(LeftFor(kCompileAsked, R"(import torch
if big:
    model = Big()
else:
    model = Small()
o = torch.optim.SGD(model.parameters())
)"),
              ElementsAre(HasSubstr("not certain")));
}

TEST(Compile, NotOfAModelWithAnotherCompile) {
  EXPECT_THAT(LeftFor(kCompileAsked, R"(import torch
class Net(Base):
    def compile(self):
        pass
model = make()
o = torch.optim.SGD(model.parameters())
)"),
              ElementsAre(HasSubstr("has a method compile")));
}

}  // namespace
}  // namespace rankscope::fix
