#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Asked kPinMemoryAsked{.kind = "pin-memory", .finding = "pageable-copy"};

TEST(PinMemory, OfALoaderByItsModule) {
  EXPECT_EQ(Changes(kPinMemoryAsked, R"(import torch
loader = torch.utils.data.DataLoader(data, 8)
)"),
            R"(-loader = torch.utils.data.DataLoader(data, 8)
+loader = torch.utils.data.DataLoader(data, 8, pin_memory=True)
)");
}

TEST(PinMemory, WhereItIsOff) {
  EXPECT_EQ(Changes(kPinMemoryAsked, R"(from torch.utils import data
loader = data.DataLoader(
    dataset=images,
    pin_memory=False,  # why not
)
)"),
            R"(-    pin_memory=False,  # why not
+    pin_memory=True,  # why not
)");
}

TEST(PinMemory, OfALoaderThatAFunctionReturns) {
  EXPECT_EQ(Changes(kPinMemoryAsked, R"(from torch.utils.data import DataLoader as Loader

def load(args):
    return Loader(Images(args.path),
                  batch_size=args.batch)  # one
)"),
            R"(-                  batch_size=args.batch)  # one
+                  batch_size=args.batch,
+                  pin_memory=True)  # one
)");
}

TEST(PinMemory, NotWhereItIsDecided) {
  for (const char* value : {"True", "args.pin", "torch.cuda.is_available()"}) {
    const std::string program =
        "import torch\nfrom torch.utils.data import DataLoader\nloader = DataLoader(data, "
        "pin_memory=" +
        std::string(value) + ")\n";
    EXPECT_EQ(Changes(kPinMemoryAsked, program), "");
    EXPECT_THAT(LeftFor(kPinMemoryAsked, program), IsEmpty());
  }
}

TEST(PinMemory, NotOfItemsOnADevice) {
  EXPECT_THAT(LeftFor(kPinMemoryAsked, R"(import torch
from torch.utils.data import DataLoader, Dataset
class Cached(Dataset):
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
    def __getitem__(self, i):
        return self.x[i]
loader = DataLoader(Cached())
)"),
              ElementsAre(HasSubstr("8: pin_memory is not set")));
}

TEST(PinMemory, NotWithACollationOfItsOwn) {
  EXPECT_THAT(LeftFor(kPinMemoryAsked,
                      "import torch\nx = torch.utils.data.DataLoader(data, collate_fn=f)\n"),
              ElementsAre(HasSubstr("2: pin_memory is not set: it has a collate_fn")));
}

TEST(PinMemory, NotWhereArgumentsComeFromElsewhere) {
  EXPECT_THAT(
      LeftFor(kPinMemoryAsked, "from torch.utils.data import DataLoader\nx = DataLoader(*a)\n"),
      ElementsAre(HasSubstr("come from elsewhere")));
}

TEST(PinMemory, NotWhereTheNameMayBeAnother) {
  EXPECT_EQ(Changes(kPinMemoryAsked, R"(from torch.utils.data import DataLoader
from helpers import *
loader = DataLoader(data)
)"),
            "");
}

}  // namespace
}  // namespace rankscope::fix
