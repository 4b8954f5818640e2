// host-sync: the host waits for its device again and again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Syncs(int count) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Product();
      if (i < count) of.Synchronise("cudaStreamSynchronize");
    }
  };
}

// Told at the op before the wait.
TEST(HostSync, WaitsBetweenProducts) { ExpectFound("host-sync", "aten::mm", Syncs(9), Syncs(0)); }

// The wait for the loss and one shortly before, for the norm of gradients; the same one earlier is
// not what a loop needs.
TEST(HostSync, TwoWaitsAtTheEndOfAStepAreOrdinary) {
  const auto waiting_behind = [](int product) {
    return [=](Program& of, int) {
      for (int i = 0; i < 5; ++i) {
        of.Product();
        if (i != product) continue;
        of.Synchronise("cudaStreamSynchronize");
        of.Call("cudaEventRecord", 20);
      }
    };
  };
  EXPECT_EQ(TellOf(waiting_behind(4)).ids, "");
  EXPECT_EQ(TellOf(waiting_behind(1)).ids, "host-sync ");
}

// The one wait of a step: behind the forward pass it may read the loss, in the middle of it no.
TEST(HostSync, AWaitInTheMiddleOfTheForwardPassIsNoneForTheLoss) {
  const auto waiting_behind = [](int kernel) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 6; ++step) {
      std::int64_t at = 1000 * step + 10;
      trace.Step(step, 1000 * step * kUsForTest, 1000 * kUsForTest);
      for (std::int64_t i = 0; i < 6; ++i) {
        const std::int64_t call = 20 * step + 2 * i;
        if (i >= 4)
          trace.Host(1, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0",
                     (at - 2) * kUsForTest, 10 * kUsForTest);
        trace.Launch(call, at * kUsForTest, 5 * kUsForTest)
            .Kernel(7, "gemm", (at + 10) * kUsForTest, 100 * kUsForTest, call);
        if (i == kernel)
          trace.Host(1, EventKind::kRuntime, "cudaStreamSynchronize", (at + 8) * kUsForTest,
                     107 * kUsForTest, call + 1);
        at += 150;
      }
    }
    JobForTest job;
    job.Add(0, trace.Build());
    return Rows(job.Run(FindingsAnalysis()), {"id"});
  };
  EXPECT_THAT(waiting_behind(1), ::testing::HasSubstr("host-sync"));
  EXPECT_THAT(waiting_behind(3), ::testing::Not(::testing::HasSubstr("host-sync")));
}

// Two streams in each half of a step: the one that is waited for longest ends 210 us after the wait
// begins. The other half ends the step.
TEST(HostSync, AWaitForSeveralStreamsIsOne) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 6; ++step) {
    trace.Step(step, 1000 * step * kUsForTest, 1000 * kUsForTest);
    for (const std::int64_t half : {0, 1}) {
      const std::int64_t t = 1000 * step + 400 * half + 10;
      const std::int64_t call = 10 * (2 * step + half);
      trace.Launch(call + 1, t * kUsForTest, 4 * kUsForTest)
          .Kernel(7, "gemm", (t + 10) * kUsForTest, 100 * kUsForTest, call + 1)
          .Launch(call + 2, (t + 5) * kUsForTest, 5 * kUsForTest)
          .Kernel(8, "gemm", (t + 20) * kUsForTest, 200 * kUsForTest, call + 2)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 10) * kUsForTest,
                212 * kUsForTest, call + 3);
    }
  }
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_THAT(Rows(job.Run(FindingsAnalysis()), {"title"}),
              ::testing::HasSubstr("the host waits for its device once a step, 210 us in all\n"));
}

// Three threads wait 420 us each, twice in a step of 1000: 2.52 ms.
TEST(HostSync, WaitsSideBySideAreSaidToBeSo) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 6; ++step) {
    trace.Step(step, 1000 * step * kUsForTest, 1000 * kUsForTest);
    for (const std::int64_t half : {0, 1}) {
      for (const std::int64_t thread : {1, 2, 3}) {
        const std::int64_t t = 1000 * step + 490 * half + 5 * thread;
        const std::int64_t call = 100 * step + 20 * half + 2 * thread;
        trace.Launch(call, t * kUsForTest, 4 * kUsForTest, thread)
            .Kernel(6 + thread, "gemm", (t + 10) * kUsForTest, 420 * kUsForTest, call)
            .Host(thread, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 10) * kUsForTest,
                  425 * kUsForTest, call + 1);
      }
    }
  }
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_THAT(Rows(job.Run(FindingsAnalysis()), {"title"}),
              ::testing::HasSubstr(", in threads side by side\n"));
}

// Whoever measures steps waits before the first launch of one and behind its last: what is waited
// for before it is the work of the step before.
TEST(HostSync, WaitsAroundAStepAreOrdinary) {
  const auto with = [](int inside) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 6; ++step) {
      // The product of the step before runs until 250.
      const std::int64_t t = 1000 * step;
      const std::int64_t call = 10 * step;
      trace.Step(step, t * kUsForTest, 1000 * kUsForTest)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 20) * kUsForTest,
                235 * kUsForTest, call + 1);
      std::int64_t at = t + 300;
      for (int i = 0; i < 3; ++i, at += 150) {
        trace.Launch(call + 2 + i, at * kUsForTest, 5 * kUsForTest)
            .Kernel(7, "gemm", (at + 10) * kUsForTest, 100 * kUsForTest, call + 2 + i);
        if (i < inside)
          trace.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (at + 8) * kUsForTest,
                     107 * kUsForTest, call + 5 + i);
      }
      trace.Launch(call + 8, (t + 800) * kUsForTest, 5 * kUsForTest)
          .Kernel(7, "gemm", (t + 810) * kUsForTest, 440 * kUsForTest, call + 8);
    }
    JobForTest job;
    job.Add(0, trace.Build());
    return Rows(job.Run(FindingsAnalysis()), {"id", "title"});
  };
  EXPECT_THAT(with(0), ::testing::Not(::testing::HasSubstr("host-sync")));
  EXPECT_THAT(with(3), ::testing::HasSubstr("host-sync,the host waits for its device 2 times"));
}

// What one step of six waits for is not done again and again.
TEST(HostSync, WaitsOfOneStepAreAnotherMatter) {
  const Told told = TellOf([](Program& of, int step) {
    for (int i = 0; i < 10; ++i) {
      of.Product();
      if (step == 3 && i < 9) of.Synchronise("cudaStreamSynchronize");
    }
  });
  EXPECT_FALSE(told.Has("host-sync")) << told.all;
}

// A cudaFree waits, too, which is allocator-thrash: the two waits at the end stay ordinary.
TEST(HostSync, WaitsOfTheAllocatorDoNotCount) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 5; ++i) {
      of.Product();
      if (i == 0) of.Synchronise("cudaFree");
    }
    of.Synchronise("cudaStreamSynchronize");
    of.Call("cudaEventRecord", 20);
  });
  EXPECT_FALSE(told.Has("host-sync")) << told.ids;
}

// A host that is late: its device is done before each call, which gains the calls alone (5 us
// each), 0.4 % of the step, and is told with low severity from ten a step on.
TEST(HostSync, ManyCallsThatWaitForNothing) {
  const auto body = [](int calls) {
    return [=](Program& of, int) {
      for (int i = 0; i < 12; ++i) {
        of.Op("aten::mm", "gemm", 20);
        of.HostOp("work_of_the_host", 1000);
        if (i < calls) of.Synchronise();
      }
    };
  };
  EXPECT_TRUE(TellOf(body(11)).Has("host-sync"));
  EXPECT_EQ((" " + TellOf(body(11)).ids).find(" host-sync "), std::string::npos);
  EXPECT_FALSE(TellOf(body(8)).Has("host-sync"));
}

// A copy into pageable memory waits, and the call behind it finds nothing to wait for: one wait.
TEST(HostSync, ACopyAndTheCallBehindItAreOneWait) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 12; ++i) {
      of.Product();
      of.Copy("Memcpy DtoH (Device -> Pageable)", 2);
      of.Synchronise("cudaStreamSynchronize");
    }
    of.Products(4);
  });
  EXPECT_NE(told.title.find("waits for its device 12 times a step"), std::string::npos)
      << told.title;
}

// Reading a value takes the host its op as well: the replay does neither.
TEST(HostSync, ReadingAValueGoesWithItsOp) {
  const auto body = [](bool reads) {
    return [=](Program& of, int) {
      for (int i = 0; i < 12; ++i) {
        of.Op("aten::mm", "gemm", 20);
        if (reads) {
          of.HostOp("aten::item", 60);
          of.Synchronise("cudaStreamSynchronize");
        }
      }
      of.Products(4);
    };
  };
  const Told with = TellOf(body(true)), without = TellOf(body(false));
  EXPECT_EQ(with.first(), "host-sync");
  EXPECT_NEAR(with.gain, 100 * (1 - without.mean_step / with.mean_step), 5) << with.title;
}

// Tokens are copied to the host, which computes their reward: without the wait it could not. A
// host that only notes them could run ahead.
TEST(HostSync, AWaitForWhatTheHostWorksWithStays) {
  const auto notes_for = [](std::int64_t us) {
    return TellOf([=](Program& of, int) {
      of.Products(20);
      of.Copy("Memcpy DtoH (Device -> Pinned)", 2);
      of.Synchronise("cudaStreamSynchronize");
      of.HostOp("reward", us);
      of.Products(20);
    });
  };
  const Told computes = notes_for(3000);
  EXPECT_EQ(computes.all, "host-work ");
  EXPECT_NEAR(computes.gain, 100 * 3000 / computes.mean_step, 0.5);
  EXPECT_EQ(notes_for(500).first(), "host-sync");
}

// A loop that reads values and works on each time.
TEST(HostSync, WaitsOfALoopAreNotNeeded) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 4; ++i) {
      of.Products(40);
      of.Copy("Memcpy DtoH (Device -> Pinned)", 2);
      of.Synchronise("cudaStreamSynchronize");
      of.HostOp("notes", 1500);
    }
  });
  EXPECT_TRUE(told.Has("host-sync")) << told.all;
}

}  // namespace
}  // namespace rankscope
