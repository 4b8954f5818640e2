#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kGcFreezeAsked{.kind = "gc-freeze", .finding = "gc-pause"};

TEST(GcFreeze, BeforeTheOutermostLoop) {
  EXPECT_EQ(Changes(kGcFreezeAsked, R"(import torch

for epoch in range(3):
    for x in loader:
        model(x).backward()
)"),
            R"(+import gc
+gc.collect()
+gc.freeze()
)");
}

TEST(GcFreeze, InAFunctionWithTheModuleAtHand) {
  EXPECT_EQ(Changes(kGcFreezeAsked, R"(import gc
import torch

def train():
    model = Net()
    while step < last:
        loss = model(next(data))
        loss.backward()

if __name__ == "__main__":
    train()
)"),
            R"(+    gc.collect()
+    gc.freeze()
)");
}

TEST(GcFreeze, WithWindowsLines) {
  EXPECT_EQ(
      Changes(
          kGcFreezeAsked,
          "import torch\r\n\r\ndef run():\r\n    for x in y:\r\n        x.backward()\r\nrun()\r\n"),
      "+import gc\r\n+    gc.collect()\r\n+    gc.freeze()\r\n");
}

TEST(GcFreeze, ImportsBehindSettings) {
  EXPECT_THAT(PatchesFor(kGcFreezeAsked, R"(import os
os.environ["A"] = "b"
import torch
for x in y:
    x.backward()
)")
                  .files.at(0)
                  .after,
              HasSubstr("import torch\nimport gc\ngc.collect()"));
}

TEST(GcFreeze, NotWhereTheProgramHasAPlan) {
  for (const char* call : {"gc.freeze()", "gc.disable()", "gc.set_threshold(10**6)"})
    EXPECT_EQ(Changes(kGcFreezeAsked,
                      "import gc\n" + std::string(call) + "\nfor x in y:\n    x.backward()\n"),
              "");
}

TEST(GcFreeze, NotWhereTheLoopMayBeginAgain) {
  for (const char* behind :
       {"", "for e in range(9):\n    run()\n", "run()\nrun()\n", "spawn(run)\n",
        "def main(seed):\n    run()\nfor s in seeds:\n    main(s)\n"}) {
    const std::string program =
        "import torch\ndef run():\n    for x in y:\n        x.backward()\n" + std::string(behind);
    EXPECT_EQ(Changes(kGcFreezeAsked, program), "") << behind;
    EXPECT_THAT(LeftFor(kGcFreezeAsked, program),
                ElementsAre(HasSubstr("not certain that this loop begins once")));
  }
}

TEST(GcFreeze, NotWithoutATrainingLoop) {
  EXPECT_EQ(Changes(kGcFreezeAsked, "import torch\nfor x in y:\n    model(x)\n"), "");
}

TEST(GcFreeze, NotWhereTheNameIsTaken) {
  EXPECT_THAT(LeftFor(kGcFreezeAsked, "import torch\ngc = 3\nfor x in y:\n    x.backward()\n"),
              ElementsAre(HasSubstr("3: call gc.collect() and gc.freeze() before this loop")));
}

TEST(GcFreeze, NotOfTwoLoops) {
  EXPECT_THAT(
      LeftFor(kGcFreezeAsked,
              "import torch\nfor x in y:\n    x.backward()\nfor x in z:\n    x.backward()\n"),
      ElementsAre(HasSubstr("2: one of 2 places"), HasSubstr("4: one of 2 places")));
}

}  // namespace
}  // namespace rankscope::fix
