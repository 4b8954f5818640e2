#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kEmptyCacheAsked{.kind = "empty-cache", .finding = "allocator-thrash"};

TEST(EmptyCache, GoesFromTheLoop) {
  EXPECT_EQ(Changes(kEmptyCacheAsked, R"(import torch
for x in d:
    model(x).backward()
    torch.cuda.empty_cache()  # why not
)"),
            "-    torch.cuda.empty_cache()  # why not\n");
  EXPECT_EQ(Changes(kEmptyCacheAsked, R"(from torch import cuda
def train():
    while True:
        cuda.empty_cache()
        loss.backward()
)"),
            "-        cuda.empty_cache()\n");
  EXPECT_EQ(Changes(kEmptyCacheAsked, R"(from torch.cuda import empty_cache as clear
for epoch in range(3):
    for x in d:
        clear()
        model(x).backward()
        clear()
    clear()
)"),
            "-        clear()\n-        clear()\n");
}

TEST(EmptyCache, NotOnASharedLine) {
  EXPECT_THAT(LeftFor(kEmptyCacheAsked,
                      "import torch\nfor x in d:\n    x.backward(); torch.cuda.empty_cache()\n"),
              ElementsAre(HasSubstr("3: take this call out of the loop")));
}

TEST(EmptyCache, NotUnderACondition) {
  EXPECT_EQ(Changes(kEmptyCacheAsked,
                    "import torch\nfor x in d:\n    x.backward()\n    if full():\n        "
                    "torch.cuda.empty_cache()\n"),
            "");
}

TEST(EmptyCache, NotOutsideOfTraining) {
  EXPECT_EQ(
      Changes(
          kEmptyCacheAsked,
          "import torch\ntorch.cuda.empty_cache()\nfor x in d:\n    torch.cuda.empty_cache()\n"),
      "");
}

TEST(EmptyCache, NotOfAnotherFunction) {
  EXPECT_EQ(Changes(kEmptyCacheAsked, "for x in d:\n    x.backward()\n    empty_cache()\n"), "");
}

}  // namespace
}  // namespace rankscope::fix
