#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kNonBlockingAsked{.kind = "non-blocking", .finding = "pageable-copy"};

TEST(NonBlocking, OfTheTensorsOfAPair) {
  EXPECT_EQ(Changes(kNonBlockingAsked, R"(from torch.utils.data import DataLoader
loader = DataLoader(data, pin_memory=True)
for step, (x, y) in enumerate(loader):
    x, y = x.to(device), y.to(device)
    model(x, y).backward()
)"),
            R"(-    x, y = x.to(device), y.to(device)
+    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
)");
}

TEST(NonBlocking, OfABatchByNames) {
  EXPECT_EQ(Changes(kNonBlockingAsked, R"(from torch.utils.data import DataLoader
from tqdm import tqdm

class Trainer:
    def __init__(self):
        self.loader = DataLoader(data, pin_memory=True)

    def run(self):
        for batch in tqdm(self.loader, desc="train"):
            batch = {k: v.to(self.device) for k, v in batch.items()}
            self.model(**batch).loss.backward()
)"),
            R"(-            batch = {k: v.to(self.device) for k, v in batch.items()}
+            batch = {k: v.to(self.device, non_blocking=True) for k, v in batch.items()}
)");
}

TEST(NonBlocking, OfItemsOfABatch) {
  EXPECT_EQ(Changes(kNonBlockingAsked, R"(import torch
loader = torch.utils.data.DataLoader(data, pin_memory=True)
for batch in loader:
    images = batch["images"].cuda()
    labels = batch["labels"].to("cuda", non_blocking=False)
    size = batch["size"].to(torch.float32)
    model(images, labels).backward()
)"),
            R"(-    images = batch["images"].cuda()
-    labels = batch["labels"].to("cuda", non_blocking=False)
+    images = batch["images"].cuda(non_blocking=True)
+    labels = batch["labels"].to("cuda", non_blocking=True)
)");
}

TEST(NonBlocking, NotFromMemoryThatIsNotPinned) {
  EXPECT_THAT(LeftFor(kNonBlockingAsked, R"(from torch.utils.data import DataLoader
loader = DataLoader(data, pin_memory=False)
for x in loader:
    x = x.to(device)
)"),
              ElementsAre(HasSubstr("4: a copy waits all the same")));
}

TEST(NonBlocking, NotOfWhatIsNoBatch) {
  EXPECT_EQ(Changes(kNonBlockingAsked, R"(from torch.utils.data import DataLoader
loader = DataLoader(data, pin_memory=True)
for x in loader:
    noise = torch.randn(3).to(device)
    model.to(device)
)"),
            "");
}

TEST(NonBlocking, NotWhereTheHostUsesItAgain) {
  for (const char* body :
       {"    y = x.to(device)\n    x.zero_()\n", "    x, y = x.to(device), x.sum()\n",
        "    a, b = x\n    a = a.to(device)\n    x[0].zero_()\n",
        "    for k in range(2):\n        x.add_(1)\n        y = x.to(device)\n"}) {
    const std::string program =
        "import torch\nloader = torch.utils.data.DataLoader(data, pin_memory=True)\n"
        "for x in loader:\n" +
        std::string(body);
    EXPECT_EQ(Changes(kNonBlockingAsked, program), "") << body;
    EXPECT_THAT(LeftFor(kNonBlockingAsked, program),
                ElementsAre(HasSubstr("used again in the loop")));
  }
}

TEST(NonBlocking, NotWithACollationOfItsOwn) {
  EXPECT_THAT(LeftFor(kNonBlockingAsked, R"(import torch
loader = torch.utils.data.DataLoader(data, pin_memory=True, collate_fn=f)
for x in loader:
    x = x.to(device)
)"),
              ElementsAre(HasSubstr("collate_fn of its own")));
}

TEST(NonBlocking, NotOfTypes) {
  EXPECT_EQ(Changes(kNonBlockingAsked, R"(from torch.utils.data import DataLoader
loader = DataLoader(data, pin_memory=True)
for x in loader:
    x = x.to(torch.float16)
    x = x.to(kind)
    x = x.to(device, torch.float16)
)"),
            "");
}

TEST(NonBlocking, NotInALoopOverSomethingElse) {
  EXPECT_EQ(Changes(kNonBlockingAsked, R"(from torch.utils.data import DataLoader
loader = DataLoader(data, pin_memory=True)
for x in prefetch(loader):
    x = x.to(device)
)"),
            "");
}

}  // namespace
}  // namespace rankscope::fix
