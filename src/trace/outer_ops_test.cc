#include "trace/outer_ops.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

// The name of the op around the `nth` one that is called `name`; "" where there is none.
std::string Around(const RankTrace& trace, std::string_view name, int nth = 0) {
  const OuterOps ops(trace);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.name_of(row) != name || nth-- > 0) continue;
    const Row outer = ops.Around(row);
    return outer == kNoRow ? "" : std::string(trace.name_of(outer));
  }
  return "not in the trace";
}

TEST(OuterOps, AreThoseThatTheProgramCalled) {
  TestTrace make;
  make.Op("aten::linear", 1000, 500, 1);
  make.Op("aten::to", 1010, 90, 1);
  make.Op("aten::_to_copy", 1020, 70, 1);
  make.Op("aten::copy_", 1030, 50, 1);
  make.Op("aten::addmm", 1200, 100, 1);
  make.Op("aten::relu", 2000, 100, 1);
  const RankTrace trace = make.Finish();
  EXPECT_EQ(Around(trace, "aten::copy_"), "aten::linear");
  EXPECT_EQ(Around(trace, "aten::addmm"), "aten::linear");
  EXPECT_EQ(Around(trace, "aten::linear"), "");
  EXPECT_EQ(Around(trace, "aten::relu"), "");
}

// A cast's gradient belongs to what the cast was for; other backward has its name from the engine.
TEST(OuterOps, OfTheBackwardOfACast) {
  constexpr std::int64_t kBackward = 2;
  const std::string evaluate = "autograd::engine::evaluate_function: ";
  TestTrace make;
  make.Op("aten::linear", 1000, 500, 1);
  make.OpWithSequence("aten::_to_copy", 1020, 70, 1, 40, 0);
  make.OpWithSequence("aten::_to_copy", 2000, 70, 1, 41, 0);  // the program's
  make.OpWithSequence(evaluate + "ToCopyBackward0", 5000, 100, kBackward, 40, 1);
  make.Op("ToCopyBackward0", 5005, 80, kBackward);
  make.Op("aten::copy_", 5010, 50, kBackward);
  make.OpWithSequence(evaluate + "ToCopyBackward0", 6000, 100, kBackward, 41, 1);
  make.Op("ToCopyBackward0", 6005, 80, kBackward);
  make.Op("aten::copy_", 6010, 50, kBackward);
  make.OpWithSequence(evaluate + "ToCopyBackward0", 7000, 100, kBackward, 99, 1);
  make.Op("ToCopyBackward0", 7005, 80, kBackward);
  make.Op("aten::copy_", 7010, 50, kBackward);
  make.OpWithSequence(evaluate + "AddmmBackward0", 8000, 100, kBackward, 40, 1);
  make.Op("AddmmBackward0", 8005, 80, kBackward);
  make.Op("aten::copy_", 8010, 50, kBackward);
  make.OpWithSequence(evaluate + "AddBackward0", 9000, 100, kBackward, 43, 1);
  make.Op("aten::to", 9005, 80, kBackward);
  make.Op("aten::copy_", 9010, 50, kBackward);
  const RankTrace trace = make.Finish();
  EXPECT_EQ(Around(trace, "aten::copy_", 0), "aten::linear");
  EXPECT_EQ(Around(trace, "aten::copy_", 1), "aten::_to_copy");
  EXPECT_EQ(Around(trace, "aten::copy_", 2), "");
  EXPECT_EQ(Around(trace, "aten::copy_", 3), "");
  EXPECT_EQ(Around(trace, "aten::copy_", 4), evaluate + "AddBackward0");
}

// Numbers of another thread's forward may be the same: the last before the evaluation is meant.
TEST(OuterOps, TheLastCastOfANumber) {
  TestTrace make;
  make.OpWithSequence("aten::_to_copy", 100, 70, 3, 40, 0);
  make.Op("aten::linear", 1000, 500, 1);
  make.OpWithSequence("aten::_to_copy", 1020, 70, 1, 40, 0);
  make.OpWithSequence("autograd::engine::evaluate_function: ToCopyBackward0", 5000, 100, 2, 40, 1);
  make.Op("ToCopyBackward0", 5005, 80, 2);
  make.Op("aten::copy_", 5010, 50, 2);
  make.OpWithSequence("aten::_to_copy", 9000, 70, 1, 40, 0);
  const RankTrace trace = make.Finish();
  EXPECT_EQ(Around(trace, "aten::copy_"), "aten::linear");
}

}  // namespace
}  // namespace rankscope
