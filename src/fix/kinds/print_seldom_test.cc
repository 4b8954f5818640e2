#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kPrintSeldomAsked{.kind = "print-seldom", .finding = "host-sync"};

TEST(PrintSeldom, OfAValue) {
  EXPECT_EQ(Changes(kPrintSeldomAsked, R"(for i, x in enumerate(loader):
    loss = model(x)
    loss.backward()
    print("step", i, loss.item())
)"),
            R"(-    print("step", i, loss.item())
+    if i % 50 == 0:
+        print("step", i, loss.item())
)");
}

TEST(PrintSeldom, OfTheLossInAText) {
  EXPECT_EQ(Changes(kPrintSeldomAsked, R"(def train():
    for step, (x, y) in enumerate(tqdm(loader)):
        loss = model(x, y)
        loss.backward()
        print(
            f"{step}: {loss:.3f}",
            flush=True,
        )
)"),
            R"(-        print(
-            f"{step}: {loss:.3f}",
-            flush=True,
-        )
+        if step % 50 == 0:
+            print(
+                f"{step}: {loss:.3f}",
+                flush=True,
+            )
)");
}

TEST(PrintSeldom, OfAListFromTheDevice) {
  EXPECT_EQ(Changes(kPrintSeldomAsked, R"(for n, x in enumerate(loader, 1):
    scaler.scale(model(x)).backward()
    print(weights.cpu())  # look
)"),
            R"(-    print(weights.cpu())  # look
+    if n % 50 == 0:
+        print(weights.cpu())  # look
)");
}

TEST(PrintSeldom, NotWithoutACount) {
  EXPECT_THAT(LeftFor(kPrintSeldomAsked, "for x in d:\n    loss.backward()\n    print(loss)\n"),
              ElementsAre(HasSubstr("3: print every 50th step alone: this loop does not count")));
}

TEST(PrintSeldom, NotWhereItDoesMore) {
  for (const char* print : {"print(loss, file=log)", "print(n := loss.item())",
                            "print(f'{meter(loss)}')", "print(loss.item(), next(it))"})
    EXPECT_THAT(LeftFor(kPrintSeldomAsked, "for i, x in enumerate(d):\n    loss.backward()\n    " +
                                               std::string(print) + "\n"),
                ElementsAre(HasSubstr("3: print every 50th step alone: ")))
        << print;
}

TEST(PrintSeldom, NotWhereTheCountChanges) {
  for (const char* line : {"i = 0", "i += 1", "for i in y: pass", "f(i := 3)"})
    EXPECT_THAT(LeftFor(kPrintSeldomAsked, "for i, x in enumerate(d):\n    loss.backward()\n    " +
                                               std::string(line) + "\n    print(loss)\n"),
                ElementsAre(HasSubstr("i is given another value")))
        << line;
}

TEST(PrintSeldom, NotOfPairsThatAreNoCount) {
  EXPECT_THAT(LeftFor(kPrintSeldomAsked,
                      "for a, b in zip(x, enumerate(y)):\n    loss.backward()\n    print(loss)\n"),
              ElementsAre(HasSubstr("does not count")));
}

TEST(PrintSeldom, NotUnderACondition) {
  EXPECT_EQ(Changes(kPrintSeldomAsked,
                    "for i, x in enumerate(d):\n    loss.backward()\n    if i % 10 == 0:\n        "
                    "print(loss)\n"),
            "");
}

TEST(PrintSeldom, NotOfWhatTheHostKnows) {
  EXPECT_EQ(Changes(kPrintSeldomAsked,
                    "for i, x in enumerate(d):\n    loss.backward()\n    print(i, x.shape)\n"),
            "");
}

TEST(PrintSeldom, NotOfAnotherPrint) {
  EXPECT_EQ(Changes(kPrintSeldomAsked,
                    "from rich import print\nfor i, x in enumerate(d):\n    loss.backward()\n    "
                    "print(loss.item())\n"),
            "");
}

TEST(PrintSeldom, NotOnASharedLine) {
  EXPECT_THAT(
      LeftFor(kPrintSeldomAsked, "for i, x in enumerate(d):\n    loss.backward(); print(loss)\n"),
      ElementsAre(HasSubstr("shares its lines")));
}

}  // namespace
}  // namespace rankscope::fix
