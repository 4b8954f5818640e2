// grad-sync-repeated: the same gradients are reduced in every micro-batch.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

void Forward(Program& of) { of.Products(2); }
void Backward(Program& of) {
  for (int i = 0; i < 2; ++i)
    of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
}
void Reduce(Program& of, std::int64_t bytes = 40'000'000) {
  of.Exchange({.name = "allreduce",
               .in = bytes / 4,
               .out = bytes / 4,
               .group = "1",
               .description = "DATA_PARALLEL_GROUP"},
              100);
}

// Four micro-batches a step; gradients are reduced behind each, or behind the last alone.
Told Accumulates(bool each, std::int64_t first_bytes = 40'000'000) {
  const Body body = [=](Program& of, int) {
    for (int batch = 0; batch < 4; ++batch) {
      Forward(of);
      Backward(of);
      if (each || batch == 3) Reduce(of, batch == 0 ? first_bytes : 40'000'000);
    }
  };
  return TellOf(body);
}

// 300 us a step.
TEST(GradSyncRepeated, InEveryMicroBatch) {
  const Told told = Accumulates(true);
  EXPECT_EQ(told.first(), "grad-sync-repeated") << told.all;
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NEAR(told.gain, 100 * (1 - Accumulates(false).mean_step / told.mean_step), 1);
}

// Behind the last micro-batch the norm of the gradients is reduced as well.
TEST(GradSyncRepeated, BesideANorm) {
  const Told told = TellOf([](Program& of, int) {
    for (int batch = 0; batch < 4; ++batch) {
      Forward(of);
      Backward(of);
      Reduce(of);
    }
    Reduce(of, 4);
  });
  EXPECT_EQ(told.first(), "grad-sync-repeated") << told.all;
}

TEST(GradSyncRepeated, OnceIsNot) { EXPECT_FALSE(Accumulates(false).Has("grad-sync-repeated")); }

// Other sizes are other gradients.
TEST(GradSyncRepeated, OtherSizesAreNot) {
  EXPECT_FALSE(Accumulates(true, 8'000'000).Has("grad-sync-repeated"));
}

// Equal buckets of one backward.
TEST(GradSyncRepeated, BucketsOfOneBackwardAreNot) {
  const Body body = [](Program& of, int) {
    Forward(of);
    for (int bucket = 0; bucket < 4; ++bucket) {
      Backward(of);
      Reduce(of);
    }
  };
  EXPECT_FALSE(TellOf(body).Has("grad-sync-repeated"));
}

// A slow network: the second reduction of a micro-batch begins behind the next one's forward.
TEST(GradSyncRepeated, LaterThanTheNextForward) {
  const auto accumulates = [](std::int64_t last_bytes) {
    return TellOf([=](Program& of, int) {
      for (int batch = 0; batch < 4; ++batch) {
        Forward(of);
        if (batch > 0) Reduce(of, 20'000'000);
        Backward(of);
        Reduce(of);
      }
      Reduce(of, last_bytes);
    });
  };
  const Told told = accumulates(20'000'000);
  EXPECT_EQ(told.first(), "grad-sync-repeated") << told.all;
  EXPECT_NE(told.title.find("reduced 4 times a step"), std::string::npos) << told.title;
  EXPECT_FALSE(accumulates(10'000'000).Has("grad-sync-repeated"));
}

// Where no backward is known, what is reduced is not, either.
TEST(GradSyncRepeated, WithoutABackwardIsNot) {
  const Body body = [](Program& of, int) {
    for (int i = 0; i < 4; ++i) {
      Forward(of);
      Reduce(of);
    }
  };
  EXPECT_FALSE(TellOf(body).Has("grad-sync-repeated"));
}

// DDP reduces two buckets of 40 and 20 MB during the backward, a loop of the program's these
// parameters behind it.
std::optional<Cause> ReducedBehind(const std::vector<std::int64_t>& sizes) {
  JobForTest job;
  for (int rank = 0; rank < 2; ++rank) {
    Program program;
    for (int step = 0; step < 6; ++step) {
      program.Step(step, [&](Program& of) {
        Forward(of);
        Backward(of);
        Reduce(of, 40'000'000);
        Backward(of);
        Reduce(of, 20'000'000);
        Reduce(of, 4);  // of a loss
        of.Frame("train.py(158): average_gradients", [&] {
          for (const std::int64_t bytes : sizes) Reduce(of, bytes);
        });
        of.Range("Optimizer.step#SGD.step", [&] { of.Op("aten::_foreach_add_", "foreach", 20); });
      });
    }
    job.Add(rank, program.Build(-1));
  }
  std::optional<Cause> cause;
  LookAt(job, {}, [&](const RuleInput& input) {
    cause = CauseOf(GradSyncRepeatedRule(), input);
    if (cause) cause->gain = input.GainOf(*cause->without) * input.step_ns();
  });
  return cause;
}

TEST(GradSyncRepeated, AgainBehindTheBackward) {
  const auto twice = ReducedBehind({30'000'000, 20'000'000, 10'000'000});
  ASSERT_TRUE(twice.has_value());
  EXPECT_NE(twice->what.find("reduced twice a step: 60 MB in 2 all-reduces"), std::string::npos)
      << twice->what;
  EXPECT_NEAR(*twice->gain, 300e3, 10e3);  // three of 100 us
  EXPECT_NE(twice->recommendation.find("Reduce once"), std::string::npos);
  // Other bytes are other data; the same pieces may be two halves of one model.
  EXPECT_FALSE(ReducedBehind({30'000'000, 20'000'000}));
  EXPECT_FALSE(ReducedBehind({40'000'000, 20'000'000}));
  EXPECT_FALSE(ReducedBehind({}));
}

}  // namespace
}  // namespace rankscope
