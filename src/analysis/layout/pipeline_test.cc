#include <gtest/gtest.h>

#include <string>

#include "analysis/layout/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

using PipelineCollective = TraceForTest::Collective;

constexpr std::string_view kCoalesced = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";

// The metadata of a pipeline of ranks 0 and 1.
RankTrace OfPipeline(RankTrace trace) {
  trace.meta.process_groups.push_back(
      {.name = "1", .description = "PIPELINE_MODEL_PARALLEL_GROUP", .ranks = {0, 1}});
  return trace;
}

// One stage of two. Kernels are launched 5 before they begin; sends name their partner.
class StageTrace {
 public:
  explicit StageTrace(std::int64_t rank) : rank_(rank) {
    trace_.Step(0, 0, 1000);
    AllReduce(0);
  }
  StageTrace& Forward(std::int64_t begin, std::int64_t dur) {
    trace_.Host(1, EventKind::kUserAnnotation, "forward_step", begin - 6, 4);
    return Kernel(begin, dur, 1);
  }
  StageTrace& Backward(std::int64_t begin, std::int64_t dur) {
    trace_.Host(1, EventKind::kUserAnnotation, "backward_step", begin - 6, 4);
    return Kernel(begin, dur, 2);
  }
  StageTrace& Send(std::int64_t begin) { return Message("send", begin); }
  StageTrace& Receive(std::int64_t begin) { return Message("recv", begin); }
  // Links the clocks of both stages.
  StageTrace& AllReduce(std::int64_t begin) {
    trace_.Comm(20, begin, 4, {.name = "allreduce", .in = 8, .out = 8, .group = "9"});
    return *this;
  }
  RankTrace Build() {
    AllReduce(990);
    return trace_.Build();
  }

 private:
  StageTrace& Kernel(std::int64_t begin, std::int64_t dur, std::int64_t thread) {
    trace_.Launch(++correlation_, begin - 5, 1, thread);
    trace_.Kernel(7, "gemm", begin, dur, correlation_);
    return *this;
  }
  StageTrace& Message(std::string_view name, std::int64_t begin) {
    trace_.Comm(21, begin, 2,
                {.name = name,
                 .in = 1000,
                 .out = 1000,
                 .group = "1",
                 .peer = static_cast<std::int32_t>(1 - rank_),
                 .description = "PIPELINE_MODEL_PARALLEL_GROUP"});
    return *this;
  }

  std::int64_t rank_;
  TraceForTest trace_;
  std::int64_t correlation_ = 0;
};

// Two micro-batches; forward 100, backward 200; stage 1 follows stage 0 and turns round at once:
//
//   stage 0   F0 100-200  F1 210-300             B0 500-700              B1 800-960
//   stage 1               F0 200-300  B0 300-500  F1 500-600  B1 600-800
JobForTest TwoStages() {
  JobForTest job;
  job.Add(0, StageTrace(0)
                 .Forward(100, 100)
                 .Send(200)
                 .Forward(210, 90)
                 .Send(300)
                 .Receive(500)
                 .Backward(500, 200)
                 .Receive(800)
                 .Backward(800, 160)
                 .Build());
  job.Add(1, StageTrace(1)
                 .Receive(200)
                 .Forward(200, 100)
                 .Backward(300, 200)
                 .Send(500)
                 .Receive(500)
                 .Forward(500, 100)
                 .Backward(600, 200)
                 .Send(800)
                 .Build());
  return job;
}

TEST(Pipeline, ByHand) {
  // The window is 100 to 960. Stage 0 works 100 + 90 + 200 + 160, is empty from 200 to 210, 300 to
  // 500 and 700 to 800. Stage 1 begins at 200, ends at 800 and is never empty between.
  EXPECT_EQ(Rows(TwoStages().Run(PipelineStepsAnalysis()),
                 {"rank", "replica", "stage", "step", "micro_batches", "start_ns", "window_ns",
                  "compute_ns", "inside_ns", "warm_up_ns", "steady_ns", "cool_down_ns",
                  "stages_seen", "aligned"}),
            "0,0,0,0,2,100,860,550,0,0,310,0,2,true\n"
            "1,0,1,0,2,100,860,600,0,100,0,160,2,true\n");
  // (p - 1) / (m + p - 1) = 1 / 3.
  EXPECT_EQ(Rows(TwoStages().Run(PipelineAnalysis()),
                 {"stage", "ranks", "steps", "micro_batches", "virtual_stages", "ideal_pct",
                  "forward_ns", "backward_ns"}),
            "0,1,1,2,1,33.33333333333333,95,180\n1,1,1,2,1,33.33333333333333,100,200\n");
}

TEST(Pipeline, Schedule) {
  EXPECT_EQ(
      Rows(TwoStages().Run(PipelineScheduleAnalysis()),
           {"stage", "pass", "ordinal", "start_ns", "duration_ns"}),
      "0,forward,0,100,100\n0,forward,1,210,90\n0,backward,0,500,200\n0,backward,1,800,160\n"
      "1,forward,0,200,100\n1,backward,0,300,200\n1,forward,1,500,100\n1,backward,1,600,200\n");
}

// Found by fuzz_damaged_cache: a pass all of whose kernels took no time.
TEST(Pipeline, PassesWithoutExtentAreNone) {
  JobForTest job;
  job.Add(0, StageTrace(0)
                 .Forward(100, 100)
                 .Send(200)
                 .Forward(210, 0)
                 .Send(300)
                 .Receive(500)
                 .Backward(500, 200)
                 .Build());
  job.Add(1, StageTrace(1).Receive(200).Forward(200, 100).Backward(300, 200).Send(500).Build());
  EXPECT_EQ(Rows(job.Run(PipelineScheduleAnalysis()),
                 {"stage", "pass", "ordinal", "start_ns", "duration_ns"}),
            "0,forward,0,100,100\n0,backward,0,500,200\n"
            "1,forward,0,200,100\n1,backward,0,300,200\n");
}

// Without annotations, sends divide the passes, and autograd's thread tells the backward.
TEST(Pipeline, BySends) {
  const auto stage = [](std::int64_t rank) {
    TraceForTest trace;
    trace.Step(0, 0, 1000);
    trace.Comm(20, 0, 4, {.name = "allreduce", .in = 8, .out = 8, .group = "9"});
    trace.Comm(20, 990, 4, {.name = "allreduce", .in = 8, .out = 8, .group = "9"});
    std::int64_t correlation = 0;
    const auto kernel = [&](std::int64_t begin, std::int64_t dur, std::int64_t thread) {
      trace.Launch(++correlation, begin - 5, 1, thread);
      trace.Kernel(7, "gemm", begin, dur, correlation);
    };
    const auto message = [&](std::string_view name, std::int64_t begin) {
      const PipelineCollective sent{.name = name,
                                    .in = 10,
                                    .out = 10,
                                    .group = "1",
                                    .peer = static_cast<std::int32_t>(1 - rank),
                                    .description = "pp"};
      trace.Launch(++correlation, begin - 5, 1, 1);
      trace.Comm(21, begin, 2, sent).Linked(correlation);
    };
    // Forward of two kernels, sent; then the backward on autograd's thread.
    if (rank == 1) message("recv", 150);
    kernel(rank == 0 ? 100 : 160, 20, 1);
    kernel(rank == 0 ? 125 : 185, 20, 1);
    if (rank == 0) message("send", 150);
    if (rank == 0) message("recv", 400);
    const std::int64_t backward = rank == 0 ? 410 : 300;
    trace.Host(2, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0",
               backward - 8, 40);
    kernel(backward, 50, 2);
    if (rank == 1) message("send", 360);
    return trace.Build();
  };
  JobForTest job;
  job.Add(0, stage(0)).Add(1, stage(1));
  EXPECT_EQ(Rows(job.Run(PipelinePassesAnalysis()),
                 {"stage", "pass", "ordinal", "start_ns", "duration_ns", "compute_ns"}),
            "0,forward,0,100,45,40\n0,backward,0,410,50,50\n"
            "1,forward,0,160,45,40\n1,backward,0,300,50,50\n");
}

// The interleaved schedule of two stages with two chunks of layers and four micro-batches, its
// kernels launched between sends that state no peer; stage 1 begins 10 later. Its forwards take 20
// and 40 of the two chunks.
class InterleavedStage {
 public:
  explicit InterleavedStage(std::int64_t stage) : stage_(stage) {
    trace_.Step(0, 0, 100'000);
    AllReduce(0);
    const std::int64_t warm_up = 2 * (1 - stage) + 2;
    for (std::int64_t pass = 0; pass < warm_up; ++pass) Forward(pass);
    for (std::int64_t pass = warm_up; pass < 8; ++pass) {
      Forward(pass);
      Backward();
    }
    for (std::int64_t pass = 0; pass < warm_up; ++pass) Backward();
    AllReduce(90'000);
  }
  RankTrace Build() { return trace_.Build(); }

 private:
  void AllReduce(std::int64_t begin) {
    trace_.Comm(20, begin, 4,
                {.name = "allreduce", .in = 8, .out = 8, .group = "9", .description = "world"});
  }
  void Forward(std::int64_t pass) { Compute(1, pass / 2 % 2 == 0 ? 20 : 40); }
  void Backward() {
    trace_.Host(2, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0", t_ - 8,
                90);
    Compute(2, 80);
  }
  void Compute(std::int64_t thread, std::int64_t dur) {
    trace_.Launch(++correlation_, t_ - 5, 1, thread);
    trace_.Kernel(7, "gemm", t_ + 10 * stage_, dur, correlation_);
    trace_.Launch(++correlation_, t_ + 85, 1, 1);
    trace_.Kernel(21, kCoalesced, t_ + 90, 4, correlation_);
    t_ += 100;
  }

  std::int64_t stage_;
  std::int64_t t_ = 100;
  TraceForTest trace_;
  std::int64_t correlation_ = 0;
};

// The process groups of the metadata are all that is said of the pipeline.
TEST(Pipeline, CoalescedSendsAndInterleavedChunks) {
  JobForTest job;
  for (const std::int64_t stage : {0, 1})
    job.Add(stage, OfPipeline(InterleavedStage(stage).Build()));
  EXPECT_EQ(Rows(job.Run(PipelineStepsAnalysis()),
                 {"stage", "micro_batches", "virtual_stages", "ideal_pct", "aligned"}),
            "0,4,2,11.11111111111111,true\n1,4,2,11.11111111111111,true\n");
  EXPECT_EQ(Rows(job.Run(PipelineAnalysis()), {"stage", "forward_ns", "backward_ns"}),
            "0,30,80\n1,30,80\n");
}

// Eight micro-batches, of which one send alone states its peer: it says nothing of how many there
// are.
TEST(Pipeline, SendsThatStateAPeerDoNotCountMicroBatches) {
  JobForTest job;
  for (const std::int64_t stage : {0, 1}) {
    TraceForTest trace;
    trace.Step(0, 0, 100'000);
    trace.Comm(20, 10, 4, {.name = "allreduce", .in = 8, .out = 8, .group = "9"});
    std::int64_t correlation = 0;
    for (std::int64_t pass = 0; pass < 16; ++pass) {
      const std::int64_t begin = 1000 * (pass + 1);
      const std::int64_t thread = pass < 8 ? 1 : 2;
      if (pass >= 8)
        trace.Host(2, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0",
                   begin - 8, 300);
      trace.Launch(++correlation, begin - 5, 1, thread);
      trace.Kernel(7, "gemm", begin, 500, correlation);
      trace.Launch(++correlation, begin + 600, 1, 1);
      if (pass == 0) {
        const PipelineCollective first{.name = stage == 0 ? "send" : "recv",
                                       .in = 10,
                                       .out = 10,
                                       .group = "1",
                                       .peer = static_cast<std::int32_t>(1 - stage),
                                       .description = "PIPELINE_MODEL_PARALLEL_GROUP"};
        trace.Comm(21, begin + 610, 5, first).Linked(correlation);
      } else {
        trace.Kernel(21, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", begin + 610, 5,
                     correlation);
      }
    }
    job.Add(stage, OfPipeline(trace.Build()));
  }
  EXPECT_EQ(Rows(job.Run(PipelineStepsAnalysis()), {"stage", "micro_batches", "virtual_stages"}),
            "0,8,1\n1,8,1\n");
}

// Keys and values that go round a ring inside of passes do not cut them, where the ring's group is
// not the pipeline's.
TEST(Pipeline, RingsInsideOfPasses) {
  JobForTest job;
  for (const std::int64_t stage : {0, 1}) {
    TraceForTest trace;
    trace.Step(0, 0, 10'000);
    trace.Comm(20, 10, 4, {.name = "allreduce", .in = 8, .out = 8, .group = "9"});
    std::int64_t correlation = 0;
    const auto message = [&](std::string_view group, std::string_view description,
                             std::int64_t begin) {
      const PipelineCollective sent{.name = stage == 0 ? "send" : "recv",
                                    .in = 10,
                                    .out = 10,
                                    .group = group,
                                    .peer = static_cast<std::int32_t>(1 - stage),
                                    .description = description};
      trace.Launch(++correlation, begin - 5, 1, 1);
      trace.Comm(21, begin, 5, sent).Linked(correlation);
    };
    for (std::int64_t pass = 0; pass < 2; ++pass) {
      const std::int64_t begin = 1000 * (pass + 1);
      trace.Launch(++correlation, begin - 5, 1, 1);
      trace.Kernel(7, "gemm", begin, 50, correlation);
      message("5", "CONTEXT_PARALLEL_GROUP", begin + 20);
      trace.Launch(++correlation, begin + 95, 1, 1);
      trace.Kernel(7, "gemm", begin + 100, 50, correlation);
      message("1", "PIPELINE_MODEL_PARALLEL_GROUP", begin + 200);
    }
    job.Add(stage, OfPipeline(trace.Build()));
  }
  EXPECT_EQ(Rows(job.Run(PipelinePassesAnalysis()),
                 {"stage", "pass", "ordinal", "start_ns", "duration_ns", "compute_ns"}),
            "0,forward,0,1000,150,100\n0,forward,1,2000,150,100\n"
            "1,forward,0,1000,150,100\n1,forward,1,2000,150,100\n");
}

// Stages that only send to each other, one way: nothing is known of their clocks together.
TEST(Pipeline, StagesWithoutACommonClockAreNotAligned) {
  for (const bool both_ways : {false, true}) {
    JobForTest job;
    for (const std::int64_t stage : {0, 1}) {
      TraceForTest trace;
      trace.Step(0, 0, 10'000'000);
      const auto message = [&](bool sends, std::int64_t begin, std::int64_t dur) {
        trace.Comm(21, begin, dur,
                   {.name = sends ? "send" : "recv",
                    .in = 10,
                    .out = 10,
                    .group = "1",
                    .peer = static_cast<std::int32_t>(1 - stage),
                    .description = "PIPELINE_MODEL_PARALLEL_GROUP"});
      };
      trace.Host(1, EventKind::kUserAnnotation, "forward_step", 90'000, 4)
          .Host(1, EventKind::kUserAnnotation, "backward_step", 90'010, 4)
          .Launch(1, 90'001, 1)
          .Kernel(7, "gemm", 100'000, 2'000'000, 1)
          .Launch(2, 90'011, 1)
          .Kernel(7, "gemm", 3'000'000, 1'000'000, 2);
      message(stage == 0, 2'100'000, 5'000);
      if (both_ways) message(stage == 1, 4'100'000, 5'000);
      job.Add(stage, OfPipeline(trace.Build()));
    }
    const std::string aligned = both_ways ? "true" : "false";
    EXPECT_EQ(Rows(job.Run(PipelineStepsAnalysis()), {"stage", "aligned"}),
              "0," + aligned + "\n1," + aligned + "\n");
  }
}

// A trace of host lanes: one process per stage.
TEST(Pipeline, Lanes) {
  TraceForTest trace;
  const auto span = [&](std::int64_t process, std::string_view name, std::int64_t ts,
                        std::int64_t dur) { trace.Lane(process, name, ts, dur); };
  span(0, "forward", 0, 100);
  span(1, "forward", 100, 100);
  span(1, "backward", 200, 150);
  span(0, "backward", 350, 150);
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(Rows(job.Run(PipelineStepsAnalysis()),
                 {"stage", "step", "micro_batches", "window_ns", "compute_ns", "warm_up_ns",
                  "steady_ns", "cool_down_ns"}),
            "0,,1,500,250,0,250,0\n1,,1,500,250,100,0,150\n");
}

TEST(Pipeline, NoneWithoutSends) {
  TraceForTest trace;
  trace.Step(0, 0, 100).Launch(1, 5, 1).Kernel(7, "gemm", 10, 20, 1);
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(job.Run(PipelineAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
