// host-work: the program's own work on the host, for which devices wait.
#include <gtest/gtest.h>

#include "insight/base/cause_tools.h"
#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Every rank's host is for so long in this frame behind the first products.
Told Works(std::int64_t us) {
  const Body body = [=](Program& of, int) {
    of.Products(3);
    of.Frame("train.py(9): tokenize", [&] { of.Idles(us); });
    of.Products(3);
  };
  return TellOf(body);
}

// The three products before hide 280 us of it.
TEST(HostWork, OnAllRanksInEveryStep) {
  const Told told = Works(1500);
  EXPECT_EQ(told.first(), "host-work");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NE(told.places.find("tokenize"), std::string::npos) << told.places;
  EXPECT_NEAR(told.gain, 100 * (1 - Works(0).mean_step / told.mean_step), 1);
}

// Without frames, by samples of the host's stacks; and by nothing.
TEST(HostWork, IsNamedBySamples) {
  const auto works = [](bool is_sampled) {
    return TellOf([=](Program& of, int) {
      of.Products(3);
      const auto idles = [&] { of.Idles(1500); };
      if (is_sampled)
        of.Sampled("train.py(9): tokenize", idles);
      else
        idles();
      of.Products(3);
    });
  };
  const Told sampled = works(true);
  EXPECT_EQ(sampled.first(), "host-work");
  EXPECT_NE(sampled.title.find("in train.py(9): tokenize"), std::string::npos) << sampled.title;
  EXPECT_NE(sampled.places.find("tokenize"), std::string::npos) << sampled.places;
  const Told nameless = works(false);
  EXPECT_NE(nameless.title.find("what no op or frame names"), std::string::npos) << nameless.title;
  EXPECT_NEAR(sampled.gain, nameless.gain, 1e-9);
}

// What profiler.step() does in three functions of its own, and a little around it.
TEST(HostWork, OfAProfilerIsNobodyElses) {
  const auto records = [](const std::string& function) {
    return TellOf([=](Program& of, int) {
      of.Frame("train.py(61): record", [&] {
        of.Frame(function, [&] {
          for (const char* inner : {"a.py(1): f", "a.py(2): g", "a.py(3): h"})
            of.Frame(inner, [&] { of.Idles(90); });
        });
        of.Idles(60);
      });
      of.Products(3);
    });
  };
  EXPECT_TRUE(records("train.py(9): tokenize").Has("host-work"));
  EXPECT_FALSE(records("torch/profiler/profiler.py(884): step").Has("host-work"));
}

// Objects lie elsewhere on every rank.
TEST(HostWork, AMethodOfAnObjectIsOnePlaceOnAllRanks) {
  const auto body = [](Program& of, int rank) {
    of.Products(3);
    of.Frame("<built-in method sort of list object at 0x7f" + std::to_string(rank) + "0>",
             [&] { of.Idles(1500); });
    of.Products(3);
  };
  const Told told = TellOf(body);
  const std::string_view name = "<built-in method sort of list object>";
  const std::size_t first = told.places.find(name);
  ASSERT_NE(first, std::string::npos) << told.places;
  EXPECT_EQ(told.places.find(name, first + 1), std::string::npos) << told.places;
}

// Threads that exchange with other ranks (gloo) are no device.
TEST(HostWork, IsNoneWhereNoDeviceWasRecorded) {
  TraceForTest trace;
  for (int step = 0; step < 6; ++step) {
    const std::int64_t begin = step * 2'000'000;
    trace.Host(1, EventKind::kCpuOp, "aten::mm", begin, 900'000)
        .Host(2, EventKind::kUserAnnotation, "gloo:all_reduce", begin + 950'000, 800'000)
        .Step(step, begin, 1'990'000);
  }
  JobForTest job;
  job.Add(0, trace.Build());
  LookAt(job, {}, [](const RuleInput& input) {
    EXPECT_FALSE(HasDeviceWork(input.graph()));
    EXPECT_FALSE(HostWorkRule().find(input));
  });
}

// A hundred ops of 30 us on the host in a function that launches nothing, of kinds that are
// launched elsewhere; frames of the standard library are not who does it.
TEST(HostWork, ManyShortOpsOfOneFunction) {
  const auto body = [](bool augments) {
    return [=](Program& of, int) {
      of.Frame("train.py(3): step", [&] { of.Products(3); });
      if (augments) {
        of.Frame("train.py(9): augment", [&] {
          for (int i = 0; i < 50; ++i) {
            of.HostOp("aten::mm", 30);
            of.Frame("random.py(7): choice", [&] { of.HostOp("aten::cat", 30); });
          }
        });
      }
      of.Frame("train.py(3): step", [&] { of.Products(3); });
    };
  };
  const Told told = TellOf(body(true));
  EXPECT_EQ(told.first(), "host-work");
  EXPECT_NE(told.title.find("train.py(9): augment"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(body(false)).mean_step / told.mean_step), 3);
}

// In every step, but on another rank each time.
TEST(HostWork, OnAnotherRankFromStepToStep) {
  std::vector<Body> bodies;
  for (int rank = 0; rank < 4; ++rank) {
    bodies.push_back([=](Program& of, int step) {
      of.Products(3);
      if (step % 4 == rank)
        of.Frame("train.py(9): tokenize", [&] { of.Idles(1500); });
      else
        of.Waits(1220);
      of.Products(3);
    });
  }
  const Told told = TellOfRanks(bodies, 9);
  EXPECT_EQ(told.first(), "host-work");
  EXPECT_NE(told.title.find("the host of 1 of the 4 ranks, from step to step another one, works"),
            std::string::npos)
      << told.title;
  EXPECT_EQ(Works(1500).title.find("of the 2 ranks"), std::string::npos);
}

// 300 us of a step of 6.4 ms, a twelfth of that on each rank: the others wait for it in each step.
TEST(HostWork, LittleOnEachRankAddsUpFromStepToStep) {
  std::vector<Body> bodies;
  for (int rank = 0; rank < 12; ++rank) {
    bodies.push_back([=](Program& of, int step) {
      if (step % 12 == rank)
        of.Idles(300);
      else
        of.Waits(300);
      of.Products(60);
    });
  }
  const Told told = TellOfRanks(bodies, 12);
  EXPECT_EQ(told.first(), "host-work") << told.all;
  EXPECT_NE(told.title.find("the host of 1 of the 12 ranks, from step to step another one, works"),
            std::string::npos)
      << told.title;
  EXPECT_NEAR(told.gain, 100 * 300 / told.mean_step, 0.5);
}

// Of unlike length, so that no step is out of line.
TEST(HostWork, SaysWhatTheStepsLoseThatHaveIt) {
  const Told told = TellOf(
      [](Program& of, int step) {
        if (step % 3 != 0) of.Frame("train.py(9): log", [&] { of.Idles(step % 3 * 400); });
        of.Products(30);
      },
      12);
  EXPECT_EQ(told.first(), "host-work") << told.all;
  EXPECT_NE(
      told.title.find("works 600 us in 8 steps of 12 (the mean of the steps that have it), in "
                      "train.py(9): log"),
      std::string::npos)
      << told.title;
}

// Before another one of twelve products in each step, or always before the same one.
TEST(HostWork, SaysThatItStrikesAtChangingPlaces) {
  const auto pauses = [](bool at_random) {
    return TellOf([=](Program& of, int step) {
      of.Range("DistributedDataParallel.forward", [&] {
        for (int i = 0; i < 12; ++i) {
          if (i == (at_random ? (5 * step + 1) % 12 : 6)) of.Idles(2500);
          of.Product();
        }
      });
    });
  };
  constexpr std::string_view kText =
      "at other places from step to step: Python's garbage collector";
  const Told random = pauses(true);
  EXPECT_EQ(random.first(), "host-work") << random.all;
  EXPECT_NE(random.title.find(kText), std::string::npos) << random.title;
  const Told regular = pauses(false);
  EXPECT_EQ(regular.first(), "host-work") << regular.all;
  EXPECT_EQ(regular.title.find(kText), std::string::npos) << regular.title;
}

// The device has enough to do meanwhile.
TEST(HostWork, WhatIsHiddenIsNot) { EXPECT_FALSE(Works(250).Has("host-work")); }

// Of two things that the host does, the one during which its device is busy is not what it waits
// for, however much longer it takes.
TEST(HostWork, WhatTheDeviceIsBusyDuringIsNotNamed) {
  const auto body = [](std::int64_t schedule) {
    return [=](Program& of, int) {
      of.Frame("engine.py(1): schedule", [&] { of.Idles(schedule); });
      for (int i = 0; i < 20; ++i) of.Op("aten::mm", "gemm", 200);
      of.Frame("grammar.py(7): apply_mask", [&] { of.Idles(2500); });
    };
  };
  const Told told = TellOf(body(600));
  ASSERT_TRUE(told.Has("host-work")) << told.all;
  EXPECT_NE(told.title.find("works 600 us a step, in engine.py(1): schedule"), std::string::npos)
      << told.title;
  EXPECT_EQ(told.places.find("apply_mask"), std::string::npos) << told.places;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(body(0)).mean_step / told.mean_step), 1);
}

// XLA waits for its device in rows of its own.
TEST(HostWork, AWaitForTheDeviceIsNoWork) {
  const auto in = [](const std::string& name) {
    return [=](Program& of, int) {
      of.Products(3);
      of.HostOp(name, 1500);
      of.Products(3);
    };
  };
  EXPECT_TRUE(TellOf(in("BuildBuffers")).Has("host-work"));
  EXPECT_FALSE(TellOf(in("BufferSequencingEvent::Execute")).Has("host-work"));
  EXPECT_FALSE(TellOf(in("PjitFunction block_until_ready")).Has("host-work"));
}

// Of early recordings the mark of a step is an op: what nothing names in it is no launching of it.
TEST(HostWork, InTheMarkOfAStepThatIsAnOp) {
  const auto works = [](std::int64_t us) {
    return TellOf([=](Program& of, int) {
      of.InOp("ProfilerStep#4", [&] {
        of.Products(3);
        of.Idles(us);
        of.Products(3);
      });
    });
  };
  const Told told = works(1500);
  EXPECT_EQ(told.first(), "host-work") << told.all;
  EXPECT_NE(told.title.find("in what no op or frame names"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - works(0).mean_step / told.mean_step), 1);
}

// A stretch of 150 us beside twenty short ones of 90.
TEST(HostWork, OneLongStretchDoesNotHideManyShortOnes) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(3);
    for (int i = 0; i < 20; ++i) {
      of.HostOp("aten::_convolution", 90);
      of.Op("aten::cudnn_convolution", "conv", 30);
    }
    of.Frame("train.py(9): tokenize", [&] { of.Idles(150); });
    of.Op("aten::cudnn_convolution", "conv", 30);
  });
  EXPECT_EQ(told.first(), "host-work") << told.all;
  EXPECT_NE(told.title.find("in many short stretches"), std::string::npos) << told.title;
}

// Twenty ops a step that take the host 90 us each, for kernels of 30 us: the device runs nothing
// for most of that.
TEST(HostWork, ManyShortStretches) {
  const auto ops = [](std::int64_t us, int count = 20) {
    return [=](Program& of, int) {
      of.Products(3);
      for (int i = 0; i < count; ++i) {
        of.HostOp("aten::_convolution", us);
        of.Op("aten::cudnn_convolution", "conv", 30);
      }
    };
  };
  const Told told = TellOf(ops(90));
  EXPECT_EQ(told.first(), "host-work") << told.all;
  EXPECT_NE(told.title.find("in many short stretches; the largest part is aten::_convolution"),
            std::string::npos)
      << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(ops(0)).mean_step / told.mean_step), 6) << told.title;
  // One slow host of three; a few stretches; what is launched in time.
  EXPECT_FALSE(TellOfRanks({ops(10), ops(90), ops(10)}).Has("host-work"));
  EXPECT_FALSE(TellOf(ops(90, 15)).Has("host-work"));
  EXPECT_FALSE(TellOf(ops(15)).Has("host-work"));
}

// Forty in one step alone: that step is told, where they cost.
TEST(HostWork, ManyShortStretchesOfOneStep) {
  const Told told = TellOf([](Program& of, int step) {
    of.Products(3);
    for (int i = 0; i < 120; ++i) {
      if (step == 3) of.HostOp("aten::_convolution", 90);
      of.Op("aten::cudnn_convolution", "conv", 30);
    }
  });
  EXPECT_EQ(told.steps, "3") << told.all << told.title;
}

// The optimizer's own Python is named as what it is, not as the user's function around it.
// No thread of its own can do what compiled code takes to be entered.
TEST(HostWork, OfCompiledCodeIsToldToCompileLargerParts) {
  const Told told = TellOf([](Program& of, int) {
    for (int part = 0; part < 8; ++part) {
      of.HostOp("Torch-Compiled Region: 0/0", 300);
      of.Product();
    }
  });
  EXPECT_EQ(told.first(), "host-work") << told.all;
  EXPECT_NE(told.change.find("Compile larger parts"), std::string::npos) << told.change;
}

TEST(HostWork, WhatPyTorchDoesIsNamedSo) {
  const Told told = TellOf([](Program& of, int) {
    of.Frame("train.py(10): train_step", [&] {
      of.Products(4);
      of.Frame("torch/optim/adam.py(214): step", [&] { of.Idles(1500); });
      of.Product();
    });
  });
  ASSERT_TRUE(told.Has("host-work")) << told.all;
  EXPECT_NE(told.title.find("in torch/optim/adam.py(214): step"), std::string::npos) << told.title;
  EXPECT_NE(told.change.find("fused=True"), std::string::npos) << told.change;
}

// aten::copy_ launches elsewhere; here it copies 2 ms on the host, into pinned memory.
TEST(HostWork, AnOpThatLaunchesElsewhereMayWorkOnTheHost) {
  const auto told = [](std::int64_t us) {
    return TellOf([=](Program& of, int) {
      of.HostOp("aten::copy_", us);
      for (int i = 0; i < 4; ++i) of.Op("aten::copy_", "copy_kernel", 100);
    });
  };
  ASSERT_TRUE(told(2000).Has("host-work")) << told(2000).all;
  EXPECT_NE(told(2000).title.find("2.00 ms a step, in aten::copy_"), std::string::npos)
      << told(2000).title;
  EXPECT_FALSE(told(900).Has("host-work")) << told(900).all;
}

}  // namespace
}  // namespace rankscope
