#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kExpandableSegmentsAsked{.kind = "expandable-segments", .finding = "allocator-thrash"};

TEST(ExpandableSegments, BeforeTorch) {
  EXPECT_EQ(Changes(kExpandableSegmentsAsked, R"("""Trains."""
import numpy as np
import torch
for x in y:
    x.backward()
)"),
            R"(+import os
+os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
)");
}

TEST(ExpandableSegments, WithOsAtHand) {
  EXPECT_EQ(Changes(kExpandableSegmentsAsked, R"(import os
from torch import nn
for x in y:
    x.backward()
)"),
            R"(+os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
)");
}

TEST(ExpandableSegments, WithOsBehind) {
  EXPECT_EQ(Changes(kExpandableSegmentsAsked, R"(import torch.nn as nn
import os
if __name__ == '__main__':
    main()
)"),
            R"(+import os
+os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
)");
}

TEST(ExpandableSegments, NotWhereTheProgramSetsUpTheAllocator) {
  EXPECT_EQ(Changes(kExpandableSegmentsAsked, R"(import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:64"
import torch
for x in y:
    x.backward()
)"),
            "");
}

TEST(ExpandableSegments, NotOnOtherDevices) {
  EXPECT_EQ(Changes({.kind = "expandable-segments",
                     .finding = "allocator-thrash",
                     .device = {.name = "AMD Instinct MI300X", .is_nvidia = false}},
                    "import torch\nfor x in y:\n    x.backward()\n"),
            "");
}

TEST(ExpandableSegments, NotOfALibrary) {
  EXPECT_EQ(Changes(kExpandableSegmentsAsked, "import torch\ndef f():\n    pass\n"), "");
}

TEST(ExpandableSegments, NotOnASharedLine) {
  EXPECT_THAT(LeftFor(kExpandableSegmentsAsked,
                      "import sys; import torch\nfor x in y:\n    x.backward()\n"),
              ElementsAre(HasSubstr("1: set PYTORCH_CUDA_ALLOC_CONF")));
}

}  // namespace
}  // namespace rankscope::fix
