#include "facts/places/sampled_code.h"

#include <gtest/gtest.h>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kLane = "cpu 12 MainThread (python)";

class SampledCodeTest : public ::testing::Test {
 protected:
  SampledCodeTest() {
    trace_ = TraceForTest()
                 .CpuSample(kLane, "train.py(90): main", 0, 100)
                 .CpuSample(kLane, "train.py(7): step", 10, 60)
                 .CpuSample(kLane, "json/encoder.py(200): encode", 20, 20)
                 .CpuSample(kLane, "metrics.py(3): write", 40, 20)
                 .CpuSample(kLane, "(sleeping)", 50, 10)
                 .CpuSample("cpu 13 MainThread (native)", "write", 0, 100)
                 .Build();
  }
  std::string At(std::int64_t thread, Interval time) const {
    return std::string(trace_.strings.Get(SampledCode(trace_).At(thread, time)));
  }

  RankTrace trace_;
};

TEST_F(SampledCodeTest, IsTheInnermostFunctionOfTheUsers) {
  EXPECT_EQ(At(12, {0, 10}), "train.py(90): main");
  EXPECT_EQ(At(12, {10, 20}), "train.py(7): step");
  EXPECT_EQ(At(12, {20, 40}), "train.py(7): step");  // that calls the library
  EXPECT_EQ(At(12, {40, 60}), "metrics.py(3): write");
  EXPECT_EQ(At(12, {70, 100}), "train.py(90): main");
}

// Of 50 ns half are in step, 20 in write.
TEST_F(SampledCodeTest, IsWhereMostOfTheTimeWent) {
  EXPECT_EQ(At(12, {15, 65}), "train.py(7): step");
  EXPECT_EQ(At(12, {30, 60}), "metrics.py(3): write");
}

TEST_F(SampledCodeTest, IsNotKnownOfWhatWasNotSampled) {
  EXPECT_EQ(At(12, {90, 120}), "");
  EXPECT_EQ(At(12, {90, 109}), "train.py(90): main");
  EXPECT_EQ(At(12, {200, 300}), "");
  EXPECT_EQ(At(13, {0, 100}), "");  // of libraries
  EXPECT_EQ(At(14, {0, 100}), "");
  EXPECT_FALSE(SampledCode(trace_).empty());
  EXPECT_TRUE(SampledCode(TraceForTest().Build()).empty());
}

}  // namespace
}  // namespace rankscope
