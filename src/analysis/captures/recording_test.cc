#include <gtest/gtest.h>

#include "analysis/captures/analyses.h"
#include "base/units_for_test.h"
#include "stage/job_for_test.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

std::string VerdictsOn(RankTrace trace) {
  JobForTest job;
  job.Add(0, std::move(trace));
  return Rows(job.Run(RecordingAnalysis()), {"code", "severity", "ranks"});
}

// Three steps of 10 ms with a launch each; `with_device`: and its kernel of 5 ms.
TraceForTest Steps(bool with_device) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = 10 * kMs * step;
    trace.Step(step + 1, at, 10 * kMs).Launch(step + 1, at + kMs, 10'000);
    if (with_device) trace.Kernel(7, "gemm", at + 2 * kMs, 5 * kMs, step + 1);
  }
  return trace;
}

TEST(Recording, NothingIsSaidOfWhatIsWhole) { EXPECT_EQ(VerdictsOn(Steps(true).Build()), ""); }

TEST(Recording, LaunchesAndNoDevice) {
  JobForTest job;
  job.Add(0, Steps(false).Build());
  const Table verdicts = job.Run(RecordingAnalysis());
  EXPECT_EQ(Rows(verdicts, {"code", "severity", "ranks"}), "device-not-recorded,high,0\n");
  EXPECT_NE(Rows(verdicts, {"message"}).find("3 launches"), std::string::npos);
}

// A file that ends before its device rows, and one that ends among those of its only step.
TEST(Recording, FilesThatEndBeforeTheDevicesWork) {
  for (const bool with_device : {false, true}) {
    TraceForTest literal;
    literal.Step(1, 0, 10 * kMs).Host(1, EventKind::kCpuOp, "op", 0, 9 * kMs);
    if (with_device) literal.Launch(1, kMs, 10'000).Kernel(7, "gemm", 2 * kMs, kMs, 1);
    RankTrace trace = literal.Build();
    trace.meta.quality.push_back({.code = QualityCode::kTruncated, .message = "It ends."});
    JobForTest job;
    job.Add(0, std::move(trace));
    const Table verdicts = job.Run(RecordingAnalysis());
    EXPECT_TRUE(Rows(verdicts, {"code", "severity"}).starts_with("device-not-recorded,high\n"))
        << Rows(verdicts, {"code", "severity"});
    EXPECT_NE(Rows(verdicts, {"message"}).find("The file ends too early, before"),
              std::string::npos);
  }
}

// The file is whole: nobody copies it anew.
TEST(Recording, FilesThatInflateFarTooMuchAreNotSaidToEnd) {
  TraceForTest literal;
  literal.Step(1, 0, 10 * kMs).Host(1, EventKind::kCpuOp, "op", 0, 9 * kMs);
  RankTrace trace = literal.Build();
  trace.meta.quality.push_back({.code = QualityCode::kInflateLimit, .message = "It inflates."});
  JobForTest job;
  job.Add(0, std::move(trace));
  const Table verdicts = job.Run(RecordingAnalysis());
  const std::string codes = Rows(verdicts, {"code", "severity"});
  EXPECT_TRUE(codes.starts_with("device-not-recorded,high\n")) << codes;
  EXPECT_NE(codes.find("inflate-limit,medium\n"), std::string::npos) << codes;
  EXPECT_EQ(codes.find("truncated"), std::string::npos) << codes;
  const std::string said = Rows(verdicts, {"message"});
  EXPECT_NE(said.find("Reading the file stopped where it inflates far more than any trace does, "
                      "before all device work"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("opy files"), std::string::npos) << said;
}

// One of two ranks.
TEST(Recording, NamesTheRanks) {
  JobForTest job;
  job.Add(0, Steps(true).Build()).Add(1, Steps(false).Build());
  const Table verdicts = job.Run(RecordingAnalysis());
  EXPECT_EQ(Rows(verdicts, {"code", "ranks"}), "device-not-recorded,1\n");
  EXPECT_NE(Rows(verdicts, {"message"}).find("devices are without this rank."), std::string::npos);
}

// 6 launches of a graph, of which the first two have their kernels.
TEST(Recording, GraphsWithoutKernels) {
  TraceForTest trace;
  for (std::int64_t launch = 0; launch < 6; ++launch) {
    trace.Host(1, EventKind::kRuntime, "cudaGraphLaunch", 10 * kMs * launch, 50'000, 100 + launch);
    if (launch < 2) trace.Kernel(7, "gemm", 10 * kMs * launch + kMs, kMs, 100 + launch);
  }
  EXPECT_EQ(VerdictsOn(trace.Build()), "graphs-without-kernels,high,0\n");
}

// A kernel of 100 ms, behind which the next one of its stream begins after 5; and one that reaches
// 3 us into the next, as launches ahead of time do.
TEST(Recording, ImpossibleDurations) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 200 * kMs)
                 .Step(2, 200 * kMs, 200 * kMs)
                 .Launch(1, 0, 1000)
                 .Launch(2, 2000, 1000)
                 .Launch(3, 4000, 1000)
                 .Kernel(7, "stuck", kMs, 100 * kMs, 1)
                 .Kernel(7, "gemm", 6 * kMs, 2 * kMs + 3000, 2)
                 .Kernel(7, "gemm", 8 * kMs, 60 * kMs, 3)
                 .Build());
  const Table verdicts = job.Run(RecordingAnalysis());
  EXPECT_EQ(Rows(verdicts, {"code", "severity"}), "impossible-durations,medium\n");
  EXPECT_NE(Rows(verdicts, {"message"}).find("A kernel's recorded end lies 95 ms after the start"),
            std::string::npos);
  EXPECT_EQ(Rows(job.Run(RecordedWorkAnalysis()),
                 {"impossible", "impossible_ns", "impossible_kernel", "impossible_stream"}),
            "1,95000000,stuck,7\n");
}

// Rows of no category: all of them, or under the name of a device beside ops that are known.
TEST(Recording, RowsThatAreNotUnderstood) {
  EXPECT_EQ(VerdictsOn(TraceForTest().Lane(5, "main", 0, kMs).Lane(5, "f", 0, kMs).Build()),
            "rows-not-understood,high,0\n");
  EXPECT_EQ(VerdictsOn(TraceForTest().Sample(0, 0, {{"MHz", 1}}).Build()),
            "rows-not-understood,high,0\n");
}

TEST(Recording, DeviceRowsThatAreNotUnderstood) {
  const auto with_process = [](std::string_view name) {
    TestTrace trace;
    trace.Call("cudaLaunchKernel", 0, 10, 1);
    trace.Add(EventKind::kOther, trace.Track(Domain::kHost, 9, 0), "fusion.1", kMs, 5 * kMs);
    trace.batch.names = {{9, 0, trace.scope.strings.Intern(name), true}};
    JobForTest job;
    job.Add(0, trace.Finish());
    return Rows(job.Run(RecordingAnalysis()), {"code", "message"});
  };
  EXPECT_EQ(
      with_process("/device:TPU:0"),
      "rows-not-understood,There is 1 row under the names of devices of no kind that rankscope "
      "knows: nothing can be said about device time.\n");
  EXPECT_TRUE(with_process("data workers").starts_with("device-not-recorded"));
  EXPECT_TRUE(with_process("/device:CPU:0").starts_with("device-not-recorded"));
}

// A graph is captured: 64 launches, of which 32 have a kernel, then 33.
TEST(Recording, LaunchesWithoutWork) {
  const auto with_work = [](int kernels) {
    TraceForTest trace;
    for (int i = 1; i <= 64; ++i) {
      trace.Launch(i, i * kMs, 1000);
      if (i <= kernels) trace.Kernel(7, "gemm", i * kMs + 2000, 1000, i);
    }
    return VerdictsOn(trace.Build());
  };
  EXPECT_EQ(with_work(32), "graphs-without-kernels,high,0\n");
  EXPECT_EQ(with_work(33), "");
}

// 320 launches of which 31, then 32 have no kernel: a tenth. With a graph they may be its
// capture's.
TEST(Recording, ThinnedByItsProfiler) {
  const auto without_work = [](int count, bool has_graph) {
    TraceForTest trace;
    for (int i = 1; i <= 320; ++i) {
      trace.Launch(i, i * kMs, 1000);
      if (i > count) trace.Kernel(7, "gemm", i * kMs + 2000, 1000, i);
    }
    if (has_graph) {
      trace.Host(1, EventKind::kRuntime, "cudaGraphLaunch", 400 * kMs, 1000, 400);
      trace.Kernel(7, "gemm", 401 * kMs, 1000, 400);
    }
    return VerdictsOn(trace.Build());
  };
  EXPECT_EQ(without_work(31, false), "");
  EXPECT_EQ(without_work(32, false), "thinned,high,0\n");
  EXPECT_EQ(without_work(32, true), "");
}

// 60 of 100 ms in one call before the first work.
TEST(Recording, StartUp) {
  EXPECT_EQ(VerdictsOn(TraceForTest()
                           .Host(1, EventKind::kRuntime, "cudaLaunchKernel", 0, 60 * kMs, 1)
                           .Kernel(7, "gemm", 61 * kMs, 39 * kMs, 1)
                           .Build()),
            "start-up,medium,0\n");
}

// One kernel of 10 us in seconds of compiling; one of twenty that take a tenth; three steps of one.
TEST(Recording, TooLittleWork) {
  const auto with = [](int kernels, std::int64_t kernel_ns, int steps) {
    TraceForTest trace;
    std::int64_t call = 0;
    for (int step = 0; step < steps; ++step) {
      const std::int64_t begin = 2000 * kMs * step;
      trace.Step(step, begin, 2000 * kMs);
      for (int i = 0; i < kernels; ++i) {
        const std::int64_t at = begin + 1500 * kMs + 20 * kMs * i;
        ++call;
        trace.Launch(call, at, 1000).Kernel(7, "add", at + 10'000, kernel_ns, call);
      }
    }
    return VerdictsOn(trace.Build());
  };
  EXPECT_EQ(with(1, 10'000, 1), "too-little-work,high,0\nsingle-step,low,0\n");
  EXPECT_EQ(with(20, 10 * kMs, 1), "single-step,low,0\n");
  EXPECT_EQ(with(32, 10'000, 1), "single-step,low,0\n");
  EXPECT_EQ(with(1, 10'000, 3), "");
}

TEST(Recording, ASingleStep) {
  EXPECT_EQ(VerdictsOn(TraceForTest()
                           .Step(1, 0, 10 * kMs)
                           .Launch(1, kMs, 1000)
                           .Kernel(7, "gemm", 2 * kMs, kMs, 1)
                           .Build()),
            "single-step,low,0\n");
}

TEST(Recording, TheProfilersOwnFrames) {
  EXPECT_EQ(VerdictsOn(
                TraceForTest()
                    .Host(1, EventKind::kPythonFunction, "profiler.py:101 start_trace", 0, 90 * kMs)
                    .Launch(1, 91 * kMs, 1000)
                    .Kernel(7, "gemm", 92 * kMs, 8 * kMs, 1)
                    .Build()),
            "profiler-overhead,medium,0\n");
}

// Twenty ops of 2 us in every step of 100 us, in which the device waits for the host: recording
// them may be why.
TEST(Recording, WhatRecordingItselfMayCost) {
  const auto with = [&](int ops) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 6; ++step) {
      const std::int64_t t = step * 100 * kUs;
      trace.Step(step, t, 100 * kUs);
      for (std::int64_t op = 0; op < ops; ++op)
        trace.Op(1, "aten::mm", t + op * 4 * kUs, 3 * kUs, "[[8, 8]]");
      for (std::int64_t work = 0; work < 6; ++work)
        trace.Launch(10 * step + work + 1, t + (81 + work) * kUs, kUs / 2)
            .Kernel(7, "gemm", t + (84 + work) * kUs, kUs / 2, 10 * step + work + 1);
    }
    return VerdictsOn(trace.Build());
  };
  EXPECT_EQ(with(20), "profiler-overhead,medium,0\n");
  EXPECT_EQ(with(2), "");
}

}  // namespace
}  // namespace rankscope
