// rank-host-work: the host of some ranks does what the others' do not.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// Rank 1 is for so long in this range, in step 2 alone or in each.
Table Working(std::string_view range, std::int64_t us, bool in_each) {
  JobPlan plan;
  plan.steps = 6;
  plan.step = [=](int rank, int step) {
    return RankStep{
        .load = 20, .pause = range, .pause_us = rank == 1 && (in_each || step == 2) ? us : 0};
  };
  return FindingsOf(plan);
}

TEST(RankHostWork, InEveryStep) {
  const Table findings = Working("train.py(7): log", 1000, true);
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps", "what"}), "rank-host-work,1,0-5,host work\n");
  EXPECT_NEAR(Gain(findings), 100 * 1000.0 / (2370 + 20 + 1000), 1);
  const std::string places = Rows(findings, {"places"});
  EXPECT_NE(places.find("log"), std::string::npos) << places;
}

// A line is named: nothing is said of the collector.
TEST(RankHostWork, InOneStep) {
  const Table findings = Working("train.py(7): log", 1500, false);
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps"}), "rank-host-work,1,2\n");
  EXPECT_EQ(Rows(findings, {"title"}).find("collector"), std::string::npos);
}

// In a range that only says where in the step the host is, it may be the collector; not in one of
// its own.
TEST(RankHostWork, InOneStepWithoutALine) {
  for (const bool is_on_all : {true, false}) {
    JobPlan plan;
    plan.steps = 6;
    plan.step = [=](int rank, int step) {
      const bool pauses = rank == 1 && step == 2;
      return RankStep{.load = 20,
                      .pause = is_on_all ? "## forward ##" : "tensorboard_log",
                      .pause_us = pauses      ? 1500
                                  : is_on_all ? 5
                                              : 0,
                      .pause_kind = EventKind::kUserAnnotation};
    };
    const Table findings = FindingsOf(plan);
    ASSERT_EQ(Rows(findings, {"id", "ranks", "steps"}), "rank-host-work,1,2\n");
    EXPECT_EQ(
        Rows(findings, {"title"}).find("could be Python's garbage collector") != std::string::npos,
        is_on_all);
  }
}

struct LateWork {
  EventKind kind = EventKind::kPythonFunction;
  std::string_view name = "train.py(9): parse";
};

// Of each step 1000 us of such work on one rank, an all-reduce of gloo on a thread of its own, for
// which the main thread waits in a frame, and a kernel on each side of it; 1700 us, 700 without the
// work.
RankTrace RankOfGloo(bool is_late, const LateWork& work = {}, int first = 0, int steps = 6) {
  TraceForTest trace;
  std::int64_t call = 0;
  const auto us = [](std::int64_t t) { return 1000 * t; };
  const auto kernel = [&](std::int64_t host, std::int64_t device) {
    ++call;
    trace.Host(1, EventKind::kCpuOp, "aten::mm", us(host), us(20))
        .Launch(call, us(host + 5), us(5))
        .Kernel(7, "gemm", us(device), us(100), call);
  };
  for (int step = 0; step < steps; ++step) {
    const std::int64_t at = 1700 * step;
    const std::int64_t begin = at + (is_late ? 1000 : 0);
    if (is_late) trace.Host(1, work.kind, work.name, us(at), us(1000));
    kernel(begin, begin + 15);
    trace
        .Host(1, EventKind::kPythonFunction, "ddp.py(3): wait", us(begin + 140),
              us(at + 1460 - begin - 140))
        .Op(2, "gloo:all_reduce", us(begin + 150), us(at + 1450 - begin - 150), "[[1000]]",
            R"(["float"])");
    kernel(at + 1470, at + 1490);
    trace.Step(first + step, us(at), us(1700));
  }
  return trace.Build(1'000'000);
}

// Rank 0 copies to its host in step 3 and works on there: that is no pause.
TEST(RankHostWork, BehindCopiesToTheHost) {
  const auto saves = [](bool is_one, std::int64_t copy_us) {
    return [=](Program& of, int step) {
      of.Products(20);
      if (is_one && step == 3) {
        if (copy_us > 0) {
          of.InOp("aten::copy_", [&] {
            of.Idles(1);
            of.Copy("Memcpy DtoH (Device -> Pageable)", copy_us);
          });
          of.Synchronise("cudaStreamSynchronize");
        }
        of.Idles(5000);
      }
      of.Waits(is_one || step != 3 ? 0 : 5000 + copy_us);
    };
  };
  const auto title = [&](std::int64_t copy_us) {
    const Body usual = saves(false, copy_us);
    return TellOfRanks({saves(true, copy_us), usual, usual, usual}, 6);
  };
  EXPECT_NE(title(3000).title.find("copies data to the host there that its peers do not"),
            std::string::npos)
      << title(3000).title;
  EXPECT_NE(title(3000).change.find("async_save"), std::string::npos);
  EXPECT_NE(title(0).title.find("collector"), std::string::npos) << title(0).title;
}

TEST(RankHostWork, OthersWaitInGloo) {
  JobForTest job;
  for (int rank = 0; rank < 4; ++rank) job.Add(rank, RankOfGloo(rank == 2));
  const Table findings = job.Run(FindingsAnalysis());
  // And what gloo itself takes.
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps"}),
            "rank-host-work,2,1-5\nexposed-communication,0-3,1-5\n");
  EXPECT_NEAR(Gain(findings), 100 * 1000.0 / 1700, 2);
}

Table RankOfFourAsksForMemory(int first, int steps) {
  JobForTest job;
  for (int rank = 0; rank < 4; ++rank)
    job.Add(rank, RankOfGloo(rank == 2, {EventKind::kRuntime, "cudaMalloc"}, first, steps));
  return job.Run(FindingsAnalysis());
}

// A recording of one step does not tell whether each step asks, but it is what that one takes.
TEST(RankHostWork, MemoryThatTheOnlyStepAsksFor) {
  const Table findings = RankOfFourAsksForMemory(10, 1);
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps"}),
            "rank-host-work,2,10\nexposed-communication,0-3,10\n");
  // The last step ends with the device's last work.
  EXPECT_NEAR(Gain(findings), 100 * 1000.0 / 1590, 1);
  const std::string places = Rows(findings, {"places"});
  EXPECT_NE(places.find("cudaMalloc"), std::string::npos) << places;
}

// A program's first step asks for what is kept from then on.
TEST(RankHostWork, MemoryThatTheFirstStepAsksForIsAStart) {
  EXPECT_EQ(Ids(RankOfFourAsksForMemory(0, 1)).find("rank-host-work"), std::string::npos);
}

// All do the same.
TEST(RankHostWork, OnAllIsNot) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.pause = "train.py(7): log", .pause_us = 1000}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "host-work\n");
}

// Ranks 1 and 2, each in one step of its own: what one of them loses is 1500 us, not the mean over
// both steps of both.
TEST(RankHostWork, MeanOfTheStepsThatHaveIt) {
  JobPlan plan;
  plan.ranks = 8;
  plan.steps = 6;
  plan.group = [](int) { return std::vector{0, 1, 2, 3, 4, 5, 6, 7}; };
  plan.step = [](int rank, int step) {
    const bool pauses = (rank == 1 && step == 2) || (rank == 2 && step == 4);
    return RankStep{.load = 20, .pause = "train.py(7): log", .pause_us = pauses ? 1500 : 0};
  };
  const Table findings = FindingsOf(plan);
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps"}), "rank-host-work,1-2,2,4\n");
  const std::string title = Rows(findings, {"title"});
  EXPECT_NE(title.find("work 1.50 ms longer than those of their peers in 2 steps of "),
            std::string::npos)
      << title;
  EXPECT_NE(title.find("(the mean of the steps that have it)"), std::string::npos) << title;
}

}  // namespace
}  // namespace rankscope
