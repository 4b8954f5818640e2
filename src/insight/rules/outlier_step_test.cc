// outlier-step: one step does other work than the rest.
#include <gtest/gtest.h>

#include <string>

#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// All ranks compute so many products more in step 3 of 8.
Told Evaluates(int products) {
  const Body body = [=](Program& of, int step) {
    of.Products(10);
    if (step == 3) of.Products(products);
  };
  return TellOfRanks({body, body}, 8);
}

TEST(OutlierStep, OnAllRanks) {
  const Told told = Evaluates(20);
  EXPECT_EQ(told.all, "outlier-step ");
  EXPECT_EQ(told.steps, "3");
  EXPECT_EQ(told.ranks, "0-1");
  // 2 ms of seven steps of their mean.
  EXPECT_NEAR(told.gain, 100 * 2000.0 / 7 / told.mean_step, 0.5);
  EXPECT_TRUE(told.places.starts_with(R"([{"op":"aten::mm")")) << told.places;
}

// A pause of the collector makes no step another work, beside one that is.
TEST(OutlierStep, PausesOfTheCollectorHaveANameOfTheirOwn) {
  const auto pauses = [](bool evaluates) {
    const Body body = [=](Program& of, int step) {
      of.Products(10);
      of.Synchronise();
      if (step == 5) of.Frame("Garbage collection", [&] { of.Idles(2500); });
      of.Products(step == 3 && evaluates ? 41 : 1);
    };
    return TellOfRanks({body}, 8);
  };
  const Told alone = pauses(false);
  EXPECT_TRUE(alone.gains.contains("gc-pause")) << alone.all;
  EXPECT_FALSE(alone.gains.contains("outlier-step")) << alone.all;
  const Told both = pauses(true);
  EXPECT_TRUE(both.all.starts_with("outlier-step gc-pause ")) << both.all;
  EXPECT_EQ(both.steps, "3");
  EXPECT_NEAR(both.gain, 100 * 4000.0 / 7 / both.mean_step, 0.5);
}

// A recorder whose lists grow holds the program up at times.
TEST(OutlierStep, NotOfTheRecorderItself) {
  const auto stalls = [](std::string_view frame) {
    const Body body = [=](Program& of, int step) {
      of.Products(10);
      if (step == 5) of.Frame(frame, [&] { of.Idles(2500); });
    };
    return TellOfRanks({body, body}, 8);
  };
  EXPECT_TRUE(stalls("train.py(9): evaluate").Has("outlier-step"));
  EXPECT_FALSE(stalls("/tmp/x/rankscope_hooks/watch.py(36): step").Has("outlier-step"));
}

// A job's step 0 starts it up.
TEST(OutlierStep, TheFirstStepOfAJobIsNone) {
  const auto longer = [](int which) {
    const Body body = [=](Program& of, int step) { of.Products(step == which ? 30 : 10); };
    return TellOfRanks({body, body}, 8).all;
  };
  EXPECT_EQ(longer(1), "outlier-step ");
  EXPECT_EQ(longer(0), "");
}

// Every other step evaluates, or the later half is slower.
TEST(OutlierStep, HalfOfTheSteps) {
  const Body body = [](Program& of, int step) { of.Products(step % 2 == 1 ? 30 : 10); };
  const Told told = TellOfRanks({body, body}, 9);
  EXPECT_EQ(told.all, "outlier-step ");
  EXPECT_EQ(told.steps, "1,3,5,7");
}

// Thirty places of 60 us each: none is a good part of it; and one that is.
TEST(OutlierStep, NamesWhatIsAGoodPart) {
  const auto title = [](int kinds, std::int64_t us) {
    const Body body = [=](Program& of, int step) {
      of.Products(10);
      for (int i = 0; step == 3 && i < kinds; ++i) of.Op("aten::op" + std::to_string(i), "k", us);
    };
    return TellOfRanks({body, body}, 8).title;
  };
  EXPECT_EQ(title(30, 60).find("above all in"), std::string::npos) << title(30, 60);
  EXPECT_NE(title(1, 1800).find("above all in aten::op0"), std::string::npos) << title(1, 1800);
}

// 100 us of some 70 ms.
TEST(OutlierStep, BelowAPercentOfAllIsNot) {
  const Body body = [](Program& of, int step) { of.Products(step == 3 ? 101 : 100); };
  EXPECT_EQ(TellOfRanks({body, body}, 8).all, "");
}

// The first recorded step takes memory from the driver and tries kernels for a product: a start,
// and no evaluation, though it runs more products.
TEST(OutlierStep, AFirstStepThatAllocatesWarmsUp) {
  const auto tell = [](int slow) {
    const Body body = [=](Program& of, int step) {
      for (int i = 0; i < 10; ++i) {
        for (int k = 0; step == slow && k < 3; ++k) of.Op("aten::mm", "other_gemm", 100);
        of.Product();
        of.Op("aten::relu", "elementwise", 10);
      }
      if (step == slow) of.Call("cudaMalloc", 3000);
      of.InOp("autograd::engine::evaluate_function: MmBackward0", [&] { of.Products(10); });
    };
    return TellOfRanks({body, body}, 8, -1, {}, 10);
  };
  const Told first = tell(0);
  EXPECT_EQ(first.all, "outlier-step ");
  EXPECT_EQ(first.ids, "");
  EXPECT_NE(first.title.find("it is the first that was recorded, and takes memory from the driver"),
            std::string::npos)
      << first.title;
  const Told later = tell(3);
  EXPECT_EQ(later.first(), "outlier-step") << later.all;
  EXPECT_EQ(later.title.find("evaluation"), std::string::npos) << later.title;
}

// Step 3 of 8 does forward three times more, and backward once as all do.
TEST(OutlierStep, ForwardWithoutBackwardIsAnEvaluation) {
  const auto title = [](bool with_backward) {
    const Body body = [=](Program& of, int step) {
      const auto train = [&](bool back) {
        of.Products(10);
        if (!back) return;
        for (int i = 0; i < 10; ++i)
          of.InOp("autograd::engine::evaluate_function: MmBackward0", [&] { of.Product(); });
      };
      train(true);
      if (step == 3)
        of.Frame("train.py(201): validate", [&] {
          for (int i = 0; i < 3; ++i) train(with_backward);
        });
    };
    return TellOfRanks({body, body}, 8);
  };
  const Told evaluation = title(false);
  EXPECT_NE(evaluation.title.find("; forward runs 4 times as often as in those, backward no more "
                                  "often, as in an evaluation; train.py(201): validate runs in no "
                                  "other step"),
            std::string::npos)
      << evaluation.title;
  EXPECT_NE(evaluation.change.find("inference_mode"), std::string::npos) << evaluation.change;
  const Told larger = title(true);
  EXPECT_EQ(larger.title.find("evaluation"), std::string::npos) << larger.title;
}

// Half of the steps update parameters: gradients are gathered, or updates are skipped. What the job
// is there for is no outlier; what else these steps do is.
TEST(OutlierStep, UpdatesOfSomeStepsAreNone) {
  const auto of_updates = [](std::int64_t logging_us) {
    const Body body = [=](Program& of, int step) {
      of.Products(10);
      if (step % 2 == 0) return;
      of.Range("Optimizer.step#AdamW.step", [&] { of.Op("aten::_fused_adamw_", "adam", 800); });
      if (logging_us > 0) of.Op("aten::mm", "gemm", logging_us);
    };
    return TellOfRanks({body, body}, 9);
  };
  EXPECT_EQ(of_updates(0).all, "");
  const Told logs = of_updates(400);
  EXPECT_EQ(logs.all, "outlier-step ");
  EXPECT_TRUE(logs.places.starts_with(R"([{"op":"aten::mm")")) << logs.places;
  // 400 us in half of the eight steps that count.
  EXPECT_NEAR(logs.gain, 100 * 200.0 / logs.mean_step, 1.0);
}

// From step 6 of 10 on every kernel takes half as long again, or one more op runs.
TEST(OutlierStep, TheSameWorkThatTakesLongerIsSaidToBe) {
  const auto later = [](bool is_slower) {
    const Body body = [=](Program& of, int step) {
      const std::int64_t us = is_slower && step >= 6 ? 150 : 100;
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", us);
      if (!is_slower && step >= 6) of.Op("aten::histc", "histogram", 500);
    };
    return TellOfRanks({body, body}, 10);
  };
  const Told slower = later(true);
  EXPECT_EQ(slower.all, "outlier-step ");
  EXPECT_NE(slower.title.find("; the same kernels take 1.5 times as long there, from step 6 to the "
                              "last"),
            std::string::npos)
      << slower.title;
  EXPECT_NE(slower.change.find("clocks"), std::string::npos) << slower.change;
  const Told more = later(false);
  EXPECT_EQ(more.title.find("the same kernels"), std::string::npos) << more.title;
}

// In steps 5 and 6 the host takes half as long again for each of 20 functions, or does something
// for as long in one place.
TEST(OutlierStep, AHostThatIsSlowerThereIsSaidToBe) {
  const auto some = [](bool is_slower) {
    const Body body = [=](Program& of, int step) {
      const bool is_one = step == 5 || step == 6;
      for (int i = 0; i < 20; ++i) {
        of.Frame("model.py(" + std::to_string(10 + i) + "): layer",
                 [&] { of.Idles(is_slower && is_one ? 60 : 40); });
        of.Op("aten::mm", "gemm", 3);
      }
      if (!is_slower && is_one) of.HostOp("aten::histc", 400);
    };
    JobForTest job;
    Program program;
    for (int step = 0; step < 10; ++step) program.Step(step, [&](Program& of) { body(of, step); });
    job.Add(0, program.Build(-1));
    Cause told;
    LookAt(job, {},
           [&](const RuleInput& input) { told = OutlierStepRule().find(input).value_or(Cause{}); });
    return told;
  };
  const Cause slower = some(true);
  EXPECT_NE(slower.what.find("the host does the same there and takes 1."), std::string::npos)
      << slower.what;
  EXPECT_EQ(slower.what.find("above all in"), std::string::npos) << slower.what;
  EXPECT_TRUE(slower.places.empty());
  EXPECT_TRUE(slower.is_unproven);
  const Cause pause = some(false);
  EXPECT_FALSE(pause.is_unproven);
  EXPECT_EQ(pause.what.find("the host does the same"), std::string::npos) << pause.what;
}

// A server's steps 1, 4 and 7 of 9 launch their kernels one by one, the others a graph each; or all
// launch graphs, and these compute more.
TEST(OutlierStep, OfServersThatLaunchNoGraph) {
  const auto told_with = [](bool is_captured, bool is_longer = false) {
    const Body body = [=](Program& of, int step) {
      of.Op("vllm::unified_attention", "attention", 20);
      if (step % 3 != 1) return of.LaunchesGraph("gemm", 10, 100);
      if (is_captured) return of.LaunchesGraph("gemm", 10, 250);
      for (int i = 0; i < 10; ++i) {
        of.Idles(150);
        of.Op("aten::mm", "gemm", is_longer ? 400 : 100);
      }
    };
    return TellOfRanks({body}, 9);
  };
  const Told eager = told_with(false);
  ASSERT_EQ(eager.first(), "outlier-step") << eager.all;
  EXPECT_NE(eager.title.find("; they launch no graph there, as the others do"), std::string::npos)
      << eager.title;
  EXPECT_NE(eager.change.find("cudagraph_capture_sizes"), std::string::npos) << eager.change;
  // Prompts to compute: no graph makes these shorter.
  EXPECT_EQ(told_with(false, true).title.find("no graph"), std::string::npos);
  const Told longer = told_with(true);
  ASSERT_EQ(longer.first(), "outlier-step") << longer.all;
  EXPECT_EQ(longer.title.find("no graph"), std::string::npos) << longer.title;
  EXPECT_EQ(longer.change.find("training"), std::string::npos) << longer.change;
}

// Copies of caches in steps 3 and 4 of 8.
TEST(OutlierStep, OfServersThatSwapCaches) {
  const auto told_with = [](std::string_view op) {
    const Body body = [=](Program& of, int step) {
      of.Op(op, "attention", 100);
      of.Products(10);
      if (step == 3 || step == 4) of.Copy("Memcpy HtoD (Pinned -> Device)", 2000);
    };
    return TellOfRanks({body}, 8);
  };
  const Told server = told_with("vllm::unified_attention");
  ASSERT_EQ(server.first(), "outlier-step") << server.all;
  EXPECT_TRUE(server.change.starts_with("Caches of requests that are preempted")) << server.change;
  const Told trainer = told_with("aten::attention");
  EXPECT_NE(trainer.change.find("outside of the training loop"), std::string::npos)
      << trainer.change;
}

}  // namespace
}  // namespace rankscope
