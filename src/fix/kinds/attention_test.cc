#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kAttentionAsked{.kind = "attention", .finding = "unfused-attention"};

TEST(Attention, InThreeStatements) {
  EXPECT_EQ(Changes(kAttentionAsked, R"(import math
import torch
import torch.nn.functional as F

class Attention(torch.nn.Module):
    def __init__(self, width):
        self.head_dim = int(width / 8)

    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        weights = F.softmax(scores, dim=-1)
        out = weights @ v
        return out.transpose(1, 2)
)"),
            R"(-        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
-        weights = F.softmax(scores, dim=-1)
-        out = weights @ v
+        out = F.scaled_dot_product_attention(q, k, v, scale=1 / math.sqrt(self.head_dim))
)");
}

TEST(Attention, InOneExpression) {
  EXPECT_EQ(Changes(kAttentionAsked, R"(import torch
def attend(q, k, v, scale: float):
    return (torch.softmax((q @ k.mT) * scale, dim=-1) @ v).contiguous()
)"),
            R"(-    return (torch.softmax((q @ k.mT) * scale, dim=-1) @ v).contiguous()
+    return (torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)).contiguous()
)");
}

TEST(Attention, WithAMask) {
  EXPECT_EQ(
      Changes(kAttentionAsked, R"(import torch
from torch.nn import functional as F
def attend(self, x, mask):
    att = torch.matmul(self.q(x), self.k(x).transpose(-1, -2)) * (1.0 / x.shape[-1] ** 0.5)
    att = att.masked_fill(mask[:, None] == 0, float("-inf"))
    att = att.softmax(dim=-1)
    return torch.matmul(att, self.v(x))
)"),
      R"(-    att = torch.matmul(self.q(x), self.k(x).transpose(-1, -2)) * (1.0 / x.shape[-1] ** 0.5)
-    att = att.masked_fill(mask[:, None] == 0, float("-inf"))
-    att = att.softmax(dim=-1)
-    return torch.matmul(att, self.v(x))
+    return F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x), attn_mask=mask[:, None] != 0, scale=1.0 / x.shape[-1] ** 0.5)
)");
}

TEST(Attention, WhoseResultHasTheNameOfItsWeights) {
  EXPECT_EQ(Changes(kAttentionAsked, R"(import torch
import torch.nn.functional as F
def attend(q, k, v):
    x = F.softmax(q @ k.transpose(-2, -1), dim=-1)
    x = x @ v
    return x
)"),
            R"(-    x = F.softmax(q @ k.transpose(-2, -1), dim=-1)
-    x = x @ v
+    x = F.scaled_dot_product_attention(q, k, v, scale=1.0)
)");
}

std::string WithBodyAttention(std::string_view body) {
  return "import torch\nimport torch.nn.functional as F\ndef attend(self, q, k, v):\n" +
         std::string(body);
}

TEST(Attention, NotWithDropout) {
  EXPECT_THAT(LeftFor(kAttentionAsked,
                      WithBodyAttention(R"(    a = F.softmax(q @ k.transpose(-2, -1), dim=-1)
    a = self.dropout(a)
    return a @ v
)")),
              ElementsAre(HasSubstr("4: if this is attention, use scaled_dot_product_attention")));
}

TEST(Attention, NotWhereTheWeightsAreUsed) {
  EXPECT_EQ(Changes(kAttentionAsked,
                    WithBodyAttention(R"(    a = F.softmax(q @ k.transpose(-2, -1), dim=-1)
    return a @ v, a
)")),
            "");
}

TEST(Attention, NotWithAScaleThatMayBeATensor) {
  constexpr std::string_view kLearned = R"(import torch
class A(torch.nn.Module):
    def __init__(self):
        self.scale = torch.nn.Parameter(torch.ones(1))
    def forward(self, q, k, v):
        return ((q @ k.transpose(-2, -1)) * self.scale).softmax(dim=-1) @ v
)";
  EXPECT_EQ(Changes(kAttentionAsked, kLearned), "");
  EXPECT_THAT(LeftFor(kAttentionAsked, kLearned),
              ElementsAre(HasSubstr("6: if this is attention")));
  EXPECT_EQ(
      Changes(kAttentionAsked,
              WithBodyAttention("    return (q @ k.transpose(-2, -1) / t).softmax(-1) @ v\n")),
      "");
}

TEST(Attention, WithAScaleThatTheModuleComputes) {
  EXPECT_EQ(Changes(kAttentionAsked, R"(import torch
class A(torch.nn.Module):
    def __init__(self, dim, num_heads):
        self.head_dim = dim // num_heads
        self.scale = self.head_dim ** -0.5
    def forward(self, q, k, v):
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2)
        return x
)"),
            R"(-        attn = (q @ k.transpose(-2, -1)) * self.scale
-        attn = attn.softmax(dim=-1)
-        x = (attn @ v).transpose(1, 2)
+        x = (torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=self.scale)).transpose(1, 2)
)");
}

TEST(Attention, NotWithABias) {
  EXPECT_EQ(
      Changes(kAttentionAsked,
              WithBodyAttention(
                  "    s = q @ k.transpose(-2, -1) + self.bias\n    return s.softmax(-1) @ v\n")),
      "");
}

TEST(Attention, NotOverAnotherDimension) {
  EXPECT_EQ(
      Changes(kAttentionAsked,
              WithBodyAttention("    return F.softmax(q @ k.transpose(-2, -1), dim=1) @ v\n")),
      "");
}

TEST(Attention, NotWhereTheValuesChangeInBetween) {
  EXPECT_EQ(Changes(kAttentionAsked, WithBodyAttention(R"(    s = q @ k.transpose(-2, -1)
    v = self.norm(v)
    q = 0
    return s.softmax(-1) @ v
)")),
            "");
}

}  // namespace
}  // namespace rankscope::fix
