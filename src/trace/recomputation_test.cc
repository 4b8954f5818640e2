#include "trace/recomputation.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

// The sources of the recomputed rows.
std::vector<std::uint32_t> Recomputed(const RankTrace& trace) {
  const std::vector<std::uint8_t> rows = RecomputedRows(trace);
  std::vector<std::uint32_t> sources;
  for (Row row = 0; row < rows.size(); ++row) {
    if (rows[row] != 0) sources.push_back(trace.source[row]);
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

TEST(RecomputedRows, OfAReentrantCheckpoint) {
  TestTrace make;
  make.Op("aten::mm", 0, 10);                                                               // 0
  make.Op("autograd::engine::evaluate_function: CheckpointFunctionBackward", 100, 100, 2);  // 1
  make.Op("CheckpointFunctionBackward", 101, 98, 2);                                        // 2
  make.Op("aten::mm", 110, 10, 2);                                                          // 3
  make.Call("cudaLaunchKernel", 112, 3, 1, 2);                                              // 4
  make.Op("autograd::engine::evaluate_function: MmBackward0", 130, 40, 2);                  // 5
  make.Op("aten::mm", 140, 10, 2);                                                          // 6
  EXPECT_EQ(Recomputed(make.Finish()), (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST(RecomputedRows, OfAPythonStack) {
  TestTrace make;
  make.Op("autograd::engine::evaluate_function: MulBackward0", 100, 100, 2);  // 0
  make.Op("MulBackward0", 101, 98, 2);                                        // 1
  make.Add(EventKind::kPythonFunction, make.Track(Domain::kHost, 2),
           "torch/utils/checkpoint.py(1100): recompute_fn", 110, 50);  // 2
  make.Op("aten::mm", 120, 10, 2);                                     // 3
  make.Op("aten::mul", 170, 10, 2);                                    // 4
  EXPECT_EQ(Recomputed(make.Finish()), (std::vector<std::uint32_t>{2, 3}));
}

TEST(RecomputedRows, OfOpsThatRecordThemselvesDuringBackward) {
  const auto make = [](std::string_view again) {
    TestTrace trace;
    trace.OpWithSequence("aten::linear", 0, 10, 1, 5, 0);                        // 0
    trace.Op("autograd::engine::evaluate_function: MulBackward0", 100, 100, 2);  // 1
    trace.OpWithSequence("MulBackward0", 101, 98, 2, 6, 1);                      // 2
    trace.OpWithSequence(again, 110, 20, 2, 9, 0);                               // 3
    trace.Op("aten::addmm", 112, 5, 2);                                          // 4
    trace.Op("aten::mul", 150, 5, 2);                                            // 5
    return trace.Finish();
  };
  EXPECT_EQ(Recomputed(make("aten::linear")), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_TRUE(RecomputedRows(make("aten::relu")).empty());  // forward had none
}

TEST(RecomputedRows, NoneWithoutBackward) {
  TestTrace make;
  make.OpWithSequence("aten::linear", 0, 10, 1, 5, 0);
  make.OpWithSequence("aten::linear", 20, 10, 1, 6, 0);
  EXPECT_TRUE(RecomputedRows(make.Finish()).empty());
}

}  // namespace
}  // namespace rankscope
