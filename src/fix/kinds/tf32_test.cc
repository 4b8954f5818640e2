#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

const Asked kTf32Asked{.kind = "tf32", .finding = "no-tensor-cores"};

TEST(Tf32, BehindTheImports) {
  EXPECT_EQ(Changes(kTf32Asked, R"("""Trains."""
from __future__ import annotations
import torch
import torch.nn as nn

for x in loader:
    model(x).backward()
)"),
            R"(+torch.set_float32_matmul_precision("high")
+
)");
}

TEST(Tf32, OfAProgramThatIsRun) {
  EXPECT_EQ(Changes(kTf32Asked, R"(import os, torch as t
from trainer import main  # our own
if __name__ == "__main__":
    main()
)"),
            R"(+
+t.set_float32_matmul_precision("high")
)");
}

TEST(Tf32, WhereItIsForbidden) {
  EXPECT_EQ(Changes(kTf32Asked, R"(import torch
torch.backends.cuda.matmul.allow_tf32 = False
)"),
            R"(-torch.backends.cuda.matmul.allow_tf32 = False
+torch.backends.cuda.matmul.allow_tf32 = True
)");
  EXPECT_EQ(Changes(kTf32Asked, R"(import torch
torch.set_float32_matmul_precision('highest')
)"),
            R"(-torch.set_float32_matmul_precision('highest')
+torch.set_float32_matmul_precision("high")
)");
}

constexpr std::string_view kProgram = "import torch\nfor x in d:\n    m(x).backward()\n";

TEST(Tf32, NotOnDevicesWithoutIt) {
  EXPECT_EQ(Changes({.kind = "tf32",
                     .finding = "no-tensor-cores",
                     .device = {.name = "Tesla V100", .has_bf16 = false, .has_tf32 = false}},
                    kProgram),
            "");
}

TEST(Tf32, NotWhereItIsChosen) {
  EXPECT_EQ(Changes(kTf32Asked, "import torch\ntorch.set_float32_matmul_precision(\"medium\")\n" +
                                    std::string(kProgram)),
            "");
  EXPECT_EQ(Changes(kTf32Asked, "import torch\ntorch.backends.fp32_precision = \"ieee\"\n" +
                                    std::string(kProgram)),
            "");
}

TEST(Tf32, NotOfALibrary) {
  EXPECT_EQ(Changes(kTf32Asked, "import torch\ndef f(x):\n    return x\n"), "");
}

TEST(Tf32, NotWhereImportsAreHidden) {
  EXPECT_EQ(Changes(kTf32Asked, R"(from torch import nn
for x in d:
    m(x).backward()
)"),
            "");
}

}  // namespace
}  // namespace rankscope::fix
