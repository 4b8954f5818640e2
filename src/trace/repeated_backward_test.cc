#include "trace/repeated_backward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

constexpr std::int64_t kBackward = 2;

class Engine {
 public:
  // An evaluation of 100 ns and the op inside it. `sequence` below 0: of no forward op.
  void Evaluates(std::string_view node, std::int64_t sequence, std::int32_t thread = 1,
                 std::int64_t inside = -1) {
    const std::string name = "autograd::engine::evaluate_function: " + std::string(node);
    make_.OpWithSequence(name, at_, 100, kBackward, sequence, sequence < 0 ? -1 : thread);
    if (inside < 0) {
      make_.Op("aten::mm", at_ + 10, 50, kBackward);
    } else {
      make_.OpWithSequence("aten::mm", at_ + 10, 50, kBackward, inside, 0);
    }
    at_ += 200;
  }
  // The sources of the rows that are done again: two for each evaluation, in turn.
  std::vector<std::uint32_t> Repeated() {
    const RankTrace trace = make_.Finish();
    const std::vector<std::uint8_t> rows = RepeatedBackwardRows(trace);
    std::vector<std::uint32_t> sources;
    for (Row row = 0; row < rows.size(); ++row)
      if (rows[row] != 0) sources.push_back(trace.source[row]);
    std::ranges::sort(sources);
    return sources;
  }

 private:
  TestTrace make_;
  std::int64_t at_ = 1000;
};

using Sources = std::vector<std::uint32_t>;

TEST(RepeatedBackward, NodesOfARetainedGraphAndWhatFollowsThem) {
  Engine engine;
  engine.Evaluates("MseLossBackward0", 9);                  // 0, 1
  engine.Evaluates("AddmmBackward0", 5);                    // 2, 3: the trunk
  engine.Evaluates("torch::autograd::AccumulateGrad", -1);  // 4, 5
  engine.Evaluates("MseLossBackward0", 12);                 // 6, 7: another head
  engine.Evaluates("torch::autograd::AccumulateGrad", -1);  // 8, 9: of the head
  engine.Evaluates("AddmmBackward0", 5);                    // 10, 11: the trunk again
  engine.Evaluates("torch::autograd::AccumulateGrad", -1);  // 12, 13
  EXPECT_EQ(engine.Repeated(), (Sources{10, 11, 12, 13}));
}

TEST(RepeatedBackward, EachTimeButTheFirst) {
  Engine engine;
  for (int i = 0; i < 3; ++i) engine.Evaluates("MulBackward0", 5);
  EXPECT_EQ(engine.Repeated(), (Sources{2, 3, 4, 5}));
}

// Functions of a program's own may have the number of the op that comes next.
TEST(RepeatedBackward, NodesOfOtherNamesAreOthers) {
  Engine engine;
  engine.Evaluates("SplitLookupFunction_Op", 78);
  engine.Evaluates("All2All_Pooled_Req_backward", 78);
  EXPECT_EQ(engine.Repeated(), Sources{});
}

TEST(RepeatedBackward, NumbersCountWithinAThread) {
  Engine engine;
  engine.Evaluates("MulBackward0", 5, 1);
  engine.Evaluates("MulBackward0", 5, 3);
  engine.Evaluates("MulBackward0", 6, 1);
  EXPECT_EQ(engine.Repeated(), Sources{});
}

// A gradient penalty: the gradient is part of the loss, so backward has to come by once more.
TEST(RepeatedBackward, NotWhatIsDifferentiatedItself) {
  Engine engine;
  engine.Evaluates("MulBackward0", 5, 1, 20);
  engine.Evaluates("MulBackward0", 5);
  EXPECT_EQ(engine.Repeated(), Sources{});
}

TEST(RepeatedBackward, NoneWithoutNumbers) {
  Engine engine;
  engine.Evaluates("MulBackward0", -1);
  engine.Evaluates("MulBackward0", -1);
  EXPECT_EQ(engine.Repeated(), Sources{});
}

}  // namespace
}  // namespace rankscope
