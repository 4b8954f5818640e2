#include <gtest/gtest.h>

#include <string>

#include "analysis/layout/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

using Collective = TraceForTest::Collective;

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
      const Collective sent{.name = name,
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
