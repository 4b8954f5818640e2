// What a host thread does, by names and by the ranges around.
#include "replay/recording/host_work.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

TEST(HostWork, ByName) {
  struct Case {
    EventKind kind;
    std::string_view name;
    Work work;
  };
  const Case cases[] = {
      {EventKind::kRuntime, "cudaLaunchKernel", Work::kLaunchCall},
      {EventKind::kRuntime, "cudaMemcpyAsync", Work::kLaunchCall},
      {EventKind::kRuntime, "hipLaunchKernel", Work::kLaunchCall},
      {EventKind::kRuntime, "cudaDeviceSynchronize", Work::kSyncCall},
      {EventKind::kRuntime, "cudaStreamSynchronize", Work::kSyncCall},
      {EventKind::kRuntime, "cudaMalloc", Work::kAllocator},
      {EventKind::kRuntime, "cudaFree", Work::kAllocator},
      {EventKind::kRuntime, "cudaGetDevice", Work::kOtherCall},
      {EventKind::kCpuOp, "aten::add", Work::kOp},
      {EventKind::kUserAnnotation, "ProfilerStep#3", Work::kPython},
      {EventKind::kPythonFunction, "train.py(3): forward", Work::kPython},
      {EventKind::kPythonFunction, "torch/_dynamo/convert_frame.py(1013): compile_inner",
       Work::kCompile},
      {EventKind::kUserAnnotation, "entire_frame_compile (dynamo_timed)", Work::kCompile},
      {EventKind::kPythonFunction, "torch/serialization.py(850): save", Work::kCheckpoint},
      {EventKind::kPythonFunction, "torch/serialization.py(1300): load", Work::kPython},
      {EventKind::kUserAnnotation, "save_checkpoint", Work::kCheckpoint},
      {EventKind::kPythonFunction, "<built-in function collect>", Work::kGarbage},
      {EventKind::kUserAnnotation, "Garbage collection", Work::kGarbage},
  };
  for (const Case& one : cases)
    EXPECT_EQ(ToString(WorkOfHostRow(one.kind, one.name)), ToString(one.work)) << one.name;
}

TEST(HostWork, EveryWorkHasAName) {
  for (int i = 0; i < kWorkCount; ++i) EXPECT_NE(ToString(static_cast<Work>(i)), "") << i;
}

std::string Divided(const RankTrace& trace, Interval stretch, std::string_view row_name) {
  const TraceFacts facts(trace);
  HostWork host(facts);
  std::uint32_t track = 0;
  Row row = kNoRow;
  for (Row i = 0; i < trace.row_count(); ++i) {
    if (trace.name_of(i) == row_name) row = i;
  }
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    if (trace.tracks[i].domain == Domain::kHost) track = i;
  }
  host.Begin(track);
  std::string text;
  host.Divide(stretch, row, [&](Interval part, Work work) {
    text += fmt::format("{}-{} {}, ", part.begin, part.end, ToString(work));
  });
  return text;
}

// A loader's range from 20 to 60: what no call says is loading.
TEST(HostWork, LoadingDividesAStretch) {
  const RankTrace trace =
      TraceForTest()
          .Host(1, EventKind::kUserAnnotation, "train", 0, 200)
          .Host(1, EventKind::kUserAnnotation,
                "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 20, 40)
          .Host(1, EventKind::kCpuOp, "aten::stack", 30, 10)
          .Host(1, EventKind::kRuntime, "cudaMalloc", 45, 5)
          .Build();
  EXPECT_EQ(Divided(trace, {0, 100}, "train"), "0-20 python, 20-60 data loading, 60-100 python, ");
  EXPECT_EQ(Divided(trace, {30, 40}, "aten::stack"), "30-40 data loading, ");
  EXPECT_EQ(Divided(trace, {45, 50}, "cudaMalloc"), "45-50 allocator call, ");
  EXPECT_EQ(Divided(trace, {60, 70}, "train"), "60-70 python, ");
  EXPECT_EQ(Divided(trace, {5, 25}, "no such row"), "5-20 python, 20-25 data loading, ");
}

// What runs inside a compilation or a checkpoint is part of it, calls too.
TEST(HostWork, InsideOfCompilingAllIsCompiling) {
  const RankTrace trace = TraceForTest()
                              .Host(1, EventKind::kUserAnnotation, "compile (dynamo_timed)", 0, 100)
                              .Host(1, EventKind::kCpuOp, "aten::add", 10, 50)
                              .Host(1, EventKind::kRuntime, "cudaMalloc", 20, 5)
                              .Host(1, EventKind::kCpuOp, "aten::mul", 200, 50)
                              .Build();
  EXPECT_EQ(Divided(trace, {10, 20}, "aten::add"), "10-20 compiling, ");
  EXPECT_EQ(Divided(trace, {20, 25}, "cudaMalloc"), "20-25 compiling, ");
  EXPECT_EQ(Divided(trace, {200, 250}, "aten::mul"), "200-250 op, ");
}

}  // namespace
}  // namespace rankscope
