// small-collectives: many collectives too small to use the network.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// All-reduces of 40 us behind ten products.
Body AllReducesSmallCollectives(int count, std::int64_t bytes = 1'000'000) {
  return [=](Program& of, int) {
    of.Products(10);
    for (int i = 0; i < count; ++i) of.Collective("allreduce", bytes, 40);
  };
}

// Through 1 MB, 40 us and 40 MB, 100 us goes a line of 38.46 us and 1.538 us per MB: in buckets of
// 25 MB each takes 1.538 us and a 25th of the latency.
TEST(SmallCollectives, InBuckets) {
  const Told told = TellOf(AllReducesSmallCollectives(30));
  EXPECT_EQ(told.first(), "small-collectives") << told.ids;
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.steps, "0-5");
  EXPECT_NEAR(told.gain, 100 * 30 * (40 - 1.538 - 38.46 / 25) / told.mean_step, 0.5);
}

// What layers exchange waits for the layer before: none can be gathered.
TEST(SmallCollectives, OfLayersCannotBeOne) {
  const auto exchanges = [](std::string_view group) {
    return TellOf([=](Program& of, int) {
      for (int layer = 0; layer < 30; ++layer) {
        of.Product();
        of.Exchange({.name = "allreduce",
                     .in = 250'000,
                     .out = 250'000,
                     .group = "1",
                     .description = group},
                    40);
      }
    });
  };
  EXPECT_TRUE(exchanges("DATA_PARALLEL_GROUP").Has("small-collectives"));
  EXPECT_FALSE(exchanges("TENSOR_MODEL_PARALLEL_GROUP").Has("small-collectives"));
}

TEST(SmallCollectives, BeginAt24OfAStep) {
  EXPECT_TRUE(TellOf(AllReducesSmallCollectives(24)).Has("small-collectives"));
  EXPECT_FALSE(TellOf(AllReducesSmallCollectives(23)).Has("small-collectives"));
}

TEST(SmallCollectives, AreOfUpTo4Megabytes) {
  EXPECT_TRUE(TellOf(AllReducesSmallCollectives(30, 4'000'000)).Has("small-collectives"));
  EXPECT_FALSE(TellOf(AllReducesSmallCollectives(30, 4'400'000)).Has("small-collectives"));
}

// Of gloo one size alone tells no line: of 300 us for 36 kB 250 are latency, of which a bucket of
// 25 MB has one.
TEST(SmallCollectives, OfHostsTakeLonger) {
  constexpr int kCount = 30;
  JobForTest job;
  for (int rank = 0; rank < 2; ++rank) {
    TraceForTest trace;
    for (int step = 0; step < 6; ++step) {
      const std::int64_t at = 10'000'000 * step;
      trace.Op(1, "aten::mm", at, 900'000, "[[64,64],[64,64]]", R"(["float","float"])");
      for (int i = 0; i < kCount; ++i)
        trace.Op(2, "gloo:all_reduce", at + 900'000 + 300'000 * i, 300'000, "[[9000]]",
                 R"(["float"])");
      trace.Host(1, EventKind::kPythonFunction, "ddp.py(3): wait", at + 900'000, 9'100'000)
          .Step(step, at, 10'000'000);
    }
    job.Add(rank, trace.Build(1'000'000));
  }
  const Table findings = job.Run(FindingsAnalysis());
  ASSERT_TRUE(Rows(findings, {"id"}).starts_with("small-collectives\n")) << Rows(findings, {"id"});
  EXPECT_NEAR(Gain(findings), 100 * kCount * 0.25 * (1 - 36e3 / 25e6) / 10, 0.5);
}

// Eight layers exchange 2 kB forward and backward: too few to be many, and none can be gathered.
TEST(SmallCollectives, OfSyncBatchNorm) {
  const auto trains = [](bool is_sync, bool exchanges = true) {
    return TellOf([=](Program& of, int) {
      for (int layer = 0; layer < 8; ++layer) {
        of.Product();
        if (exchanges) of.Collective("_allgather_base", 2'048, 30);
        of.Op(is_sync ? "aten::batch_norm_gather_stats_with_counts" : "aten::native_batch_norm",
              "batch_norm_kernel", 10);
      }
      for (int layer = 0; layer < 8; ++layer) {
        of.Product();
        of.Op(is_sync ? "aten::batch_norm_backward_reduce" : "aten::native_batch_norm_backward",
              "batch_norm_kernel", 10);
        if (exchanges) of.Collective("allreduce", 2'048, 30);
      }
    });
  };
  const Told told = trains(true);
  ASSERT_EQ(told.first(), "small-collectives") << told.all;
  EXPECT_NE(told.title.find("SyncBatchNorm exchanges statistics 16 times a step"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.places.find("batch_norm_gather_stats"), std::string::npos) << told.places;
  EXPECT_NE(told.change.find("GroupNorm"), std::string::npos) << told.change;
  EXPECT_EQ(told.change.find("bucket_cap_mb"), std::string::npos) << told.change;
  EXPECT_NEAR(told.gain, 100 * (1 - trains(true, false).mean_step / told.mean_step), 2);
  EXPECT_FALSE(trains(false).Has("small-collectives"));
  EXPECT_FALSE(trains(true, false).Has("small-collectives"));
}

}  // namespace
}  // namespace rankscope
