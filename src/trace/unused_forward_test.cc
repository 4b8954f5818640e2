#include "trace/unused_forward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

// Passes of ops numbered from `sequence` on, each with an op inside.
class Passes {
 public:
  void Forward(std::int64_t sequence, std::string_view prefix = "aten::addmm_", int ops = 5) {
    for (int i = 0; i < ops; ++i) {
      make_.Sequenced(1, std::string(prefix) + std::to_string(i), at_, 100, sequence + i, 0);
      make_.Host(1, EventKind::kCpuOp, "aten::mm", at_ + 10, 50);
      at_ += 200;
    }
  }
  void Backward(std::int64_t sequence, int ops = 5, std::string_view node = "AddmmBackward0") {
    for (int i = ops - 1; i >= 0; --i) {
      make_.Sequenced(2, "autograd::engine::evaluate_function: " + std::string(node), at_, 100,
                      sequence + i, 1);
      make_.Host(2, EventKind::kCpuOp, "aten::mm", at_ + 10, 50);
      at_ += 200;
    }
  }
  // Without numbers; the products lie inside ops that the numbered ones do not have around them.
  void WithoutGradients(std::string_view prefix = "aten::addmm_", int ops = 5) {
    for (int i = 0; i < ops; ++i) {
      make_.Host(1, EventKind::kCpuOp, "aten::linear", at_, 120);
      make_.Sequenced(1, std::string(prefix) + std::to_string(i), at_ + 10, 100, -1, 0);
      at_ += 200;
    }
  }
  // The sources of the rows of unused work: two for each op, in turn.
  std::vector<std::uint32_t> Unused(ForwardUse use = ForwardUse::kUnused, bool has_inputs = true) {
    RankTrace trace = make_.Step(0, 0, at_).Build();
    // Which text the inputs are is no matter here, only that it is equal.
    for (OpArgs& op : trace.ops) op.input_dims = has_inputs ? trace.name[0] : kEmptyString;
    const std::vector<ForwardUse> uses = ForwardUses(trace);
    std::vector<std::uint32_t> sources;
    for (Row row = 0; row < uses.size(); ++row)
      if (uses[row] == use) sources.push_back(trace.source[row]);
    std::ranges::sort(sources);
    return sources;
  }

 private:
  TraceForTest make_;
  std::int64_t at_ = 1000;
};

using Sources = std::vector<std::uint32_t>;

TEST(UnusedForward, TheFirstOfTwoWithOneBackward) {
  Passes passes;
  passes.Forward(10);
  passes.Forward(20);
  passes.Backward(20);
  EXPECT_EQ(passes.Unused(), (Sources{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(UnusedForward, IsNoneWhereEachHasItsBackward) {
  Passes passes;
  passes.Forward(10);
  passes.Forward(20);
  passes.Backward(20);
  passes.Backward(10);
  EXPECT_EQ(passes.Unused(), Sources{});
}

TEST(UnusedForward, WithoutGradientsWhatTheTrainingDoes) {
  Passes passes;
  passes.WithoutGradients();
  passes.Forward(20);
  passes.Backward(20);
  EXPECT_EQ(passes.Unused(), Sources{});
  EXPECT_EQ(passes.Unused(ForwardUse::kWithoutGradients), (Sources{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// By their names alone a frozen encoder's would be like them.
TEST(UnusedForward, WithoutKnownInputsIsNone) {
  Passes passes;
  passes.WithoutGradients();
  passes.Forward(20);
  passes.Backward(20);
  EXPECT_EQ(passes.Unused(ForwardUse::kWithoutGradients, false), Sources{});
}

// A frozen encoder, three ops alone, what comes last.
TEST(UnusedForward, OtherWorkWithoutGradientsIsNone) {
  Passes passes;
  passes.WithoutGradients("aten::encoder_");
  passes.WithoutGradients("aten::addmm_", 3);
  passes.Forward(20);
  passes.Backward(20);
  passes.WithoutGradients();
  EXPECT_EQ(passes.Unused(ForwardUse::kWithoutGradients), Sources{});
}

// A frozen encoder has no like with a backward; three ops are no pass.
TEST(UnusedForward, NeedsALikeWithABackward) {
  Passes passes;
  passes.Forward(10, "aten::encoder_");
  passes.Forward(20);
  passes.Backward(20);
  EXPECT_EQ(passes.Unused(), Sources{});
  Passes few;
  few.Forward(10, "aten::addmm_", 3);
  few.Forward(20);
  few.Backward(20);
  EXPECT_EQ(few.Unused(), Sources{});
}

// Numbers that do not fit say nothing.
TEST(UnusedForward, NeedsNodesOfTheOpsKind) {
  Passes passes;
  passes.Forward(10);
  passes.Forward(20);
  passes.Backward(20, 5, "NativeLayerNormBackward0");
  EXPECT_EQ(passes.Unused(), Sources{});
}

// Nor are chains of small ops.
TEST(UnusedForward, NeedsALayer) {
  Passes passes;
  passes.Forward(10, "aten::mul_");
  passes.Forward(20, "aten::mul_");
  passes.Backward(20);
  EXPECT_EQ(passes.Unused(), Sources{});
}

// The recording ends before the backward of the second.
TEST(UnusedForward, IsNoneAtTheEnd) {
  Passes passes;
  passes.Forward(10);
  passes.Backward(10);
  passes.Forward(20);
  EXPECT_EQ(passes.Unused(), Sources{});
}

// Nothing is trained.
TEST(UnusedForward, IsNoneWithoutBackward) {
  Passes passes;
  passes.Forward(10);
  passes.Forward(20);
  EXPECT_EQ(passes.Unused(), Sources{});
}

}  // namespace
}  // namespace rankscope
