#include "trace/launch_index.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Several processes in one file, each with its own correlation ids.
class ProcessesTest : public testing::Test {
 protected:
  void Call(std::int64_t pid, std::int64_t ts, std::int64_t correlation) {
    test_.Add(EventKind::kRuntime, test_.Track(Domain::kHost, pid, pid), "cudaLaunchKernel", ts, 5)
        .correlation = correlation;
  }
  void Kernel(std::int64_t device, std::int64_t ts, std::int64_t correlation,
              std::int64_t stream = 7) {
    test_.Add(EventKind::kKernel, test_.Track(Domain::kDevice, device, stream), "kernel", ts, 10)
        .correlation = correlation;
  }
  Pairs Launched() {
    trace_ = test_.Finish();
    return BySource(trace_, trace_.launch_kernels);
  }

  TestTrace test_;
  RankTrace trace_;
};

TEST_F(ProcessesTest, WorkGoesWithTheLastCallBeforeIt) {
  Call(10, 0, 1);
  Call(20, 1000, 1);
  Kernel(0, 100, 1);
  Kernel(0, 1100, 1);
  EXPECT_EQ(Launched(), (Pairs{{0, 2}, {1, 3}}));
}

TEST_F(ProcessesTest, NeverWithACallThatBeginsAfterIt) {
  Call(10, 0, 1);
  Call(20, 1'000'000, 2);  // the first process's call 2 is not in the file
  Kernel(0, 100, 1);
  Kernel(0, 200, 2);
  EXPECT_EQ(Launched(), (Pairs{{0, 2}}));
  EXPECT_EQ(trace_.link[RowOf(trace_, 3)], kNoRow);
  EXPECT_FALSE(trace_.meta.quality.empty()) << "the kernel without its call is counted";
}

TEST_F(ProcessesTest, CallsOfOneTimePairInTheirOrder) {
  for (std::int64_t id = 1; id <= 5; ++id) {
    Call(10, 100 * id, id);
    Call(20, 100 * id + 3, id);
    Kernel(0, 100 * id + 20, id);
    Kernel(1, 100 * id + 23, id);
  }
  EXPECT_EQ(Launched(), (Pairs{{0, 2},
                               {4, 6},
                               {8, 10},
                               {12, 14},
                               {16, 18},
                               {1, 3},
                               {5, 7},
                               {9, 11},
                               {13, 15},
                               {17, 19}}));
}

TEST_F(ProcessesTest, AStreamStaysWithItsProcess) {
  for (std::int64_t id = 1; id <= 8; ++id) {
    Call(10, 100 * id, id);
    Call(20, 100 * id + 3, id);
    // Once the first process's work waits in its queue, behind the other's.
    Kernel(0, 100 * id + (id == 5 ? 60 : 20), id);
    if (id != 7) Kernel(1, 100 * id + 23, id);  // a record was lost
  }
  Launched();
  for (Row row = 0; row < trace_.row_count(); ++row) {
    if (trace_.kind[row] != EventKind::kKernel) continue;
    ASSERT_NE(trace_.link[row], kNoRow);
    const std::int64_t device = trace_.track_of(row).first;
    EXPECT_EQ(trace_.track_of(trace_.link[row]).first, device == 0 ? 10 : 20)
        << trace_.correlation[row];
  }
}

TEST_F(ProcessesTest, NeverWithACallOfAProcessThatHasOtherStreams) {
  for (std::int64_t id = 1; id <= 8; ++id) {
    if (id != 7) Call(10, 100 * id, id);
    Call(20, 100 * id + 3, id);
    Kernel(0, 100 * id + 20, id);
    Kernel(1, 100 * id + 23, id);
  }
  Launched();
  std::size_t unlinked = 0;
  for (Row row = 0; row < trace_.row_count(); ++row) {
    if (trace_.kind[row] != EventKind::kKernel) continue;
    if (trace_.link[row] == kNoRow) {
      ++unlinked;
      EXPECT_EQ(trace_.track_of(row).first, 0);
      EXPECT_EQ(trace_.correlation[row], 7);
    }
  }
  EXPECT_EQ(unlinked, 1U);
}

TEST_F(ProcessesTest, AGraphLaunchKeepsItsWorks) {
  Call(10, 0, 1);
  Call(20, 1000, 1);
  Kernel(0, 100, 1);
  Kernel(0, 200, 1, 8);
  Kernel(0, 300, 1);
  Kernel(0, 1200, 1);
  EXPECT_EQ(Launched(), (Pairs{{0, 2}, {0, 4}, {0, 3}, {1, 5}}));
}

TEST_F(ProcessesTest, AWaitFindsTheRecordOfItsProcess) {
  Call(10, 0, 1);   // records
  Call(10, 10, 2);  // lets a stream wait
  Call(20, 500, 1);
  Call(20, 510, 2);
  test_.Wait(520, 5, 2, 1);
  Launched();
  EXPECT_EQ(BySource(trace_, trace_.record_wait), (Pairs{{2, 4}}));
}

TEST(LaunchIndex, OpsLaunchWhereNoCallsWereRecorded) {
  TestTrace test;
  test.Op("mm", 0, 20).correlation = 1;
  test.Kernel(40, 50, 1);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.launch_kernels), (Pairs{{0, 1}}));
}

}  // namespace
}  // namespace rankscope
