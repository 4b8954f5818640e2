#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kNoSyncAsked{.kind = "no-sync", .finding = "grad-sync-repeated"};

constexpr std::string_view kBegin = R"(import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(net)
)";
std::string WithLoop(std::string_view loop) { return std::string(kBegin) + std::string(loop); }

TEST(NoSync, AroundForwardAndBackward) {
  EXPECT_EQ(Changes(kNoSyncAsked, WithLoop(R"(for i, x in enumerate(loader):
    x = x.cuda()
    loss = model(x).loss / steps
    loss.backward()
    if (i + 1) % steps == 0:
        optimizer.step()
        optimizer.zero_grad()
)")),
            R"(+import contextlib
-    loss = model(x).loss / steps
-    loss.backward()
+    with contextlib.nullcontext() if (i + 1) % steps == 0 else model.no_sync():
+        loss = model(x).loss / steps
+        loss.backward()
)");
}

TEST(NoSync, WithALastBatch) {
  EXPECT_EQ(Changes(kNoSyncAsked, WithLoop(R"(for epoch in range(3):
    for step, (x, y) in enumerate(loader):
        out = model(x)
        loss = criterion(out, y)

        scaler.scale(loss).backward()
        total += 1
        if (step + 1) % 4 == 0 or step + 1 == len(loader):
            scaler.step(optimizer)
)")),
            R"(+import contextlib
-        out = model(x)
-        loss = criterion(out, y)
+        with contextlib.nullcontext() if (step + 1) % 4 == 0 or step + 1 == len(loader) else model.no_sync():
+            out = model(x)
+            loss = criterion(out, y)
-        scaler.scale(loss).backward()
+            scaler.scale(loss).backward()
)");
}

TEST(NoSync, WithContextlibAtHand) {
  EXPECT_EQ(Changes(kNoSyncAsked, "import contextlib\n" + WithLoop(R"(micro = 0
while True:
    loss = model(next(data))
    loss.backward()
    if micro % accumulate == accumulate - 1:
        optimizer.step()
    micro = micro + 1
)")),
            R"(-    loss = model(next(data))
-    loss.backward()
+    with contextlib.nullcontext() if micro % accumulate == accumulate - 1 else model.no_sync():
+        loss = model(next(data))
+        loss.backward()
)");
}

TEST(NoSync, AroundAutocast) {
  EXPECT_EQ(Changes(kNoSyncAsked, WithLoop(R"(for i, x in enumerate(loader):
    with torch.autocast("cuda"):
        loss = model(x)
    loss.backward()
    if i % 4 == 3:
        optimizer.step()
)")),
            R"(+import contextlib
-    with torch.autocast("cuda"):
-        loss = model(x)
-    loss.backward()
+    with contextlib.nullcontext() if i % 4 == 3 else model.no_sync():
+        with torch.autocast("cuda"):
+            loss = model(x)
+        loss.backward()
)");
}

TEST(NoSync, OfALoopOverMicroBatches) {
  EXPECT_EQ(Changes(kNoSyncAsked, WithLoop(R"(for step in range(9):
    for part in range(ADDED):
        loss = model(batch) / ADDED
        loss.backward()
    optimizer.step()
)")),
            R"(+import contextlib
-        loss = model(batch) / ADDED
-        loss.backward()
+        with contextlib.nullcontext() if part == ADDED - 1 else model.no_sync():
+            loss = model(batch) / ADDED
+            loss.backward()
)");
}

TEST(NoSync, NotWhereTheProgramDoesIt) {
  EXPECT_EQ(
      Changes(kNoSyncAsked, WithLoop("with model.no_sync():\n    pass\nfor i, x in enumerate(d):\n "
                                     "   model(x).backward()\n")),
      "");
}

TEST(NoSync, NotWithoutDdp) {
  EXPECT_THAT(LeftFor(kNoSyncAsked, R"(import torch
opt = torch.optim.SGD(net.parameters())
for i, x in enumerate(d):
    loss = net(x)
    loss.backward()
    if i % 4 == 3:
        opt.step()
)"),
              ElementsAre(HasSubstr("net is not seen to be wrapped by DDP")));
}

TEST(NoSync, NotWithoutACount) {
  EXPECT_THAT(
      LeftFor(kNoSyncAsked, WithLoop("for x in d:\n    loss = model(x)\n    loss.backward()\n    "
                                     "if done:\n        o.step()\n")),
      ElementsAre(HasSubstr("no `if` with a count of micro-batches")));
}

TEST(NoSync, NotWhereTheCountGoesOnInBetween) {
  EXPECT_THAT(LeftFor(kNoSyncAsked, WithLoop(R"(i = 0
for x in d:
    loss = model(x)
    i += 1
    loss.backward()
    if i % 4 == 0:
        o.step()
)")),
              ElementsAre(HasSubstr("its condition may change")));
}

}  // namespace
}  // namespace rankscope::fix
