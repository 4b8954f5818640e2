// exposed-communication: traffic of data parallelism, which computing could hide, that nothing
// hides.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// So many products of 100 us, and behind them reductions of data parallelism of 40 MB, on the same
// stream.
Body Reductions(int products, int count, std::string_view group = "DATA_PARALLEL_GROUP",
                std::int64_t us = 200) {
  return [=](Program& of, int) {
    of.Products(products);
    for (int i = 0; i < count; ++i)
      of.Exchange({.name = "allreduce",
                   .in = 10'000'000,
                   .out = 10'000'000,
                   .group = "1",
                   .description = group},
                  us);
  };
}

// All but the last could run beside the products.
TEST(ExposedCommunication, ReductionsBehindTheBackward) {
  const Told told = TellOf(Reductions(10, 4));
  EXPECT_EQ(told.ids, "exposed-communication ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.steps, "0-5");
  EXPECT_EQ(told.method, "replay");
  EXPECT_NEAR(told.gain, 100 * 600 / told.mean_step, 0.5);
}

// Ten products forward and ten backward, and three reductions that the backward launches at its
// end, beside nothing.
Body ReductionsOfBackward(std::int64_t us) {
  return [=](Program& of, int step) {
    of.Records("aten::mm", step + 1, [&] { of.Products(10); });
    of.Evaluates("MmBackward0", step + 1, [&] {
      of.Products(10);
      for (int i = 0; i < 3; ++i)
        of.Exchange({.name = "allreduce",
                     .in = 10'000'000,
                     .out = 10'000'000,
                     .group = "1",
                     .description = "DATA_PARALLEL_GROUP"},
                    us);
    });
  };
}

// They are as early as their gradients.
TEST(ExposedCommunication, ReductionsThatTheBackwardLaunches) {
  EXPECT_FALSE(TellOf(ReductionsOfBackward(100)).Has("exposed-communication"));
}

// So do six, of which the first begins as the last product ends: but the gradients of the first
// products were there long before. All but one could be hidden.
TEST(ExposedCommunication, BucketsThatAllBeginAsTheBackwardEnds) {
  const Told told = TellOf([](Program& of, int step) {
    of.Records("aten::mm", step + 1, [&] { of.Products(10); });
    of.Evaluates("MmBackward0", step + 1, [&] {
      of.Products(20);
      for (int i = 0; i < 6; ++i)
        of.Exchange({.name = "allreduce",
                     .in = 10'000'000,
                     .out = 10'000'000,
                     .group = "1",
                     .description = "DATA_PARALLEL_GROUP"},
                    100);
    });
  });
  EXPECT_EQ(told.first(), "exposed-communication") << told.all;
  EXPECT_NEAR(told.gain, 100 * 500 / told.mean_step, 2);
}

// Two of 2 ms are 4 ms of some 8.5: the network is slow, and that is all.
TEST(ExposedCommunication, ANetworkThatIsSlowForTheGradients) {
  const Told told = TellOf(ReductionsOfBackward(2000));
  EXPECT_EQ(told.ids, "") << "of low severity alone";
  EXPECT_EQ(told.all, "exposed-communication ");
  EXPECT_NE(told.title.find("take the network 4.00 ms a step longer"), std::string::npos)
      << told.title;
  EXPECT_NEAR(told.gain, 100 * 4000 / told.mean_step, 0.5);
  EXPECT_NE(told.change.find("Send less"), std::string::npos) << told.change;
}

// Two reductions on a stream of their own, the first behind two products of the backward, the last
// behind all: the products between them wait for the first, though nobody needs it before the last.
Body ABackwardThatWaits(bool waits) {
  return [=](Program& of, int step) {
    const auto reduces = [&](std::int64_t us) {
      of.ExchangesBeside({.name = "allreduce",
                          .in = 10'000'000,
                          .out = 10'000'000,
                          .group = "1",
                          .description = "DATA_PARALLEL_GROUP"},
                         us);
    };
    of.Records("aten::mm", step + 1, [&] { of.Products(2); });
    of.Evaluates("MmBackward0", step + 1, [&] {
      of.Products(2);
      reduces(800);
      if (waits) of.WaitsForBeside();
      of.Products(10);
      reduces(100);
    });
  };
}

TEST(ExposedCommunication, ABackwardThatWaitsForAReduction) {
  const Told told = TellOf(ABackwardThatWaits(true));
  EXPECT_EQ(told.ids, "exposed-communication ");
  EXPECT_EQ(told.method, "replay");
  EXPECT_NEAR(told.gain, 100 * 790 / told.mean_step, 1);
  EXPECT_FALSE(TellOf(ABackwardThatWaits(false)).Has("exposed-communication"));
}

// Layers of 300 us, each behind a gathering of its own of 500: the second may begin when the first
// is over, beside the first layer, and so on. The first one of a step hides behind nothing.
TEST(ExposedCommunication, AGatheringHidesBehindTheLayerBefore) {
  const Told told = TellOf([](Program& of, int) {
    for (int layer = 0; layer < 4; ++layer) {
      of.Exchange({.name = "allgather",
                   .in = 10'000'000,
                   .out = 20'000'000,
                   .group = "1",
                   .description = "DATA_PARALLEL_GROUP"},
                  500);
      of.Products(3);
    }
  });
  EXPECT_EQ(told.ids, "exposed-communication ");
  EXPECT_EQ(told.method, "replay");
  EXPECT_NEAR(told.gain, 100 * 3 * 300 / told.mean_step, 0.5);
}

// Twenty products forward and ten backward, behind gatherings of so many values of 2 bytes.
Told Gathers(const std::vector<std::pair<std::int64_t, std::int64_t>>& values_and_us) {
  return TellOf([=](Program& of, int step) {
    of.Records("aten::mm", step + 1, [&] {
      for (const auto& [values, us] : values_and_us) {
        of.Exchange({.name = "allgather",
                     .in = values / 2,
                     .out = values,
                     .dtype = "BFloat16",
                     .group = "1",
                     .description = "DATA_PARALLEL_GROUP"},
                    us);
        of.Products(20 / static_cast<int>(values_and_us.size()));
      }
    });
    of.Evaluates("MmBackward0", step + 1, [&] { of.Products(10); });
  });
}

// All parameters at once, 500 MB before the first product, of which that needs a bucket of 25.
TEST(ExposedCommunication, AGatheringOfAllParametersHidesBehindTheForward) {
  const Told told = Gathers({{250'000'000, 1000}});
  EXPECT_EQ(told.all, "exposed-communication ");
  EXPECT_EQ(told.ids, "") << "of low severity";
  EXPECT_NEAR(told.gain, 100 * 950 / told.mean_step, 0.5) << told.title;
  EXPECT_NE(told.title.find("parameters that only later layers need"), std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("overlap-param-gather"), std::string::npos) << told.change;
}

// A first unit far larger than the others holds what comes last as well.
TEST(ExposedCommunication, AFirstGatheringFarLargerThanTheOthers) {
  const auto of_first = [](std::int64_t values) {
    return Gathers({{values, 1000}, {20'000'000, 5}, {20'000'000, 5}, {20'000'000, 5}});
  };
  EXPECT_NE(of_first(200'000'000).title.find("parameters that only later layers need"),
            std::string::npos);
  EXPECT_FALSE(of_first(58'000'000).Has("exposed-communication"));
}

// Of reductions that nothing could hide, but that the backward does not launch, that is not said.
TEST(ExposedCommunication, LateReductionsBesideNothing) {
  const Told told = TellOf(Reductions(0, 4, "DATA_PARALLEL_GROUP", 2000));
  EXPECT_EQ(told.title.find("begin during it"), std::string::npos) << told.title;
}

// 200 us of products hide a third of 600.
TEST(ExposedCommunication, AsFarAsThereIsComputing) {
  const Told told = TellOf(Reductions(2, 4));
  EXPECT_EQ(told.ids, "exposed-communication ");
  EXPECT_NEAR(told.gain, 100 * 200 / told.mean_step, 0.5);
}

// 40 MB in 2 ms, of two A100s whose links bear 300 GB/s; and in 0.2 ms, as NVLink does.
TEST(ExposedCommunication, TellsOfLinksThatAreHardlyUsed) {
  const Told slow = TellOf(Reductions(10, 4, "DATA_PARALLEL_GROUP", 2000));
  EXPECT_NE(slow.title.find("; at 20 GB/s it reaches 6.67% of what the links of a host bear"),
            std::string::npos)
      << slow.title;
  EXPECT_NE(slow.change.find("nvidia-smi topo -m"), std::string::npos) << slow.change;
  const Told usual = TellOf(Reductions(10, 4));
  EXPECT_EQ(usual.title.find("links"), std::string::npos) << usual.title;
}

// That at the end of a step cannot be hidden.
TEST(ExposedCommunication, TheLastReductionIsNeeded) {
  EXPECT_EQ(TellOf(Reductions(10, 1)).ids, "");
}

// One of 400 MB could have begun during the backward, all but a bucket of 25 MB.
TEST(ExposedCommunication, OneReductionOfAllGradientsIsNot) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(30);
    of.Exchange({.name = "allreduce",
                 .in = 100'000'000,
                 .out = 100'000'000,
                 .group = "1",
                 .description = "DATA_PARALLEL_GROUP"},
                1600);
  });
  EXPECT_EQ(told.first(), "exposed-communication") << told.all;
  EXPECT_NEAR(told.gain, 100 * 1500 / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("in one reduction"), std::string::npos) << told.title;
}

// A loss that is reduced behind the gradients is no bucket, and excuses none.
TEST(ExposedCommunication, AReducedLossIsNoBucket) {
  const auto with_loss = [](int count) {
    return [=](Program& of, int step) {
      Reductions(10, count)(of, step);
      of.Exchange({.name = "allreduce",
                   .in = 1,
                   .out = 1,
                   .group = "1",
                   .description = "DATA_PARALLEL_GROUP"},
                  20);
    };
  };
  EXPECT_FALSE(TellOf(with_loss(1)).Has("exposed-communication"));
  const Told told = TellOf(with_loss(4));
  EXPECT_EQ(told.first(), "exposed-communication");
  EXPECT_NEAR(told.gain, 100 * 600 / told.mean_step, 1);
}

// Inside layers it is needed at once.
TEST(ExposedCommunication, OfTensorParallelismIsNeeded) {
  EXPECT_EQ(TellOf(Reductions(10, 4, "TENSOR_MODEL_PARALLEL_GROUP")).ids, "");
}

// Two ranks of eight: whom the others of the group wait for is not known either.
TEST(ExposedCommunication, OfSomeRanksOfAGroupIsABound) {
  const Body body = [](Program& of, int) {
    of.Products(10);
    for (int i = 0; i < 3; ++i)
      of.Exchange({.name = "allreduce",
                   .in = 10'000'000,
                   .out = 10'000'000,
                   .group = "1",
                   .ranks = "[0, 1, 2, 3, 4, 5, 6, 7]",
                   .size = 8,
                   .description = "DATA_PARALLEL_GROUP"},
                  400);
  };
  const Told told = TellOf(body);
  EXPECT_TRUE(told.Has("exposed-communication")) << told.all;
  EXPECT_EQ(told.method, "bound");
}

// Three ranks of four, and what layers exchange takes as long in each step: nobody is waited for.
TEST(ExposedCommunication, OfLayersIsNeededWhereNobodyIsLate) {
  const auto body = [](std::string_view group, bool is_late) {
    return [=](Program& of, int step) {
      of.Products(10);
      for (int i = 0; i < 3; ++i)
        of.Exchange({.name = "allreduce",
                     .in = 10'000'000,
                     .out = 10'000'000,
                     .group = "1",
                     .ranks = "[0, 1, 2, 3]",
                     .size = 4,
                     .description = group},
                    is_late && i == 0 && step % 2 == 0 ? 900 : 200);
    };
  };
  const auto of_three = [&](std::string_view group, bool is_late) {
    const Body one = body(group, is_late);
    return TellOfRanks({one, one, one});
  };
  EXPECT_FALSE(of_three("TENSOR_MODEL_PARALLEL_GROUP", false).Has("exposed-communication"));
  EXPECT_TRUE(of_three("TENSOR_MODEL_PARALLEL_GROUP", true).Has("exposed-communication"));
  EXPECT_TRUE(of_three("DATA_PARALLEL_GROUP", false).Has("exposed-communication"));
}

// Of one rank of a job: what it reduces may be waiting; not the 200 us of the first and the 100 us
// of the last one of a step, which take no longer than the others.
TEST(ExposedCommunication, OfOneRankIsABound) {
  const Told told = TellOfRanks({Reductions(10, 3)});
  EXPECT_EQ(told.ids, "exposed-communication ");
  EXPECT_EQ(told.ranks, "0");
  EXPECT_EQ(told.method, "bound");
  EXPECT_NEAR(told.gain, 100 * 400 / told.mean_step, 0.5);
}

// What the last one takes beyond that may be waiting, too.
TEST(ExposedCommunication, TheLastOfOneRankThatTakesLonger) {
  const Told told = TellOfRanks({[](Program& of, int step) {
    Reductions(10, 3)(of, step);
    of.Waits(1000);
  }});
  EXPECT_EQ(told.ids, "exposed-communication ");
  EXPECT_NEAR(told.gain, 100 * (400 + 900) / told.mean_step, 0.5);
}

// Ten products, and behind them three all-to-alls in which ranks send each other unequal parts: one
// ends on each when its own parts are there, so nothing shows the difference of the clocks.
RankTrace OfUnevenExchanges(int rank, std::string_view ranks, std::int32_t size) {
  Program program;
  for (int step = 0; step < 6; ++step)
    program.StepThatReducesNothing(step, [&](Program& of) {
      of.Products(10);
      for (int i = 0; i < 3; ++i)
        of.Exchange({.name = "all_to_allv",
                     .in = 10'000'000,
                     .out = rank == 0 ? 12'000'000 : 8'000'000,
                     .ranks = ranks,
                     .size = size},
                    400);
    });
  return program.Build(-1);
}

std::string TitleAndChange(const JobForTest& job) {
  return Rows(job.Run(FindingsAnalysis()), {"id", "title", "recommendation"});
}

// All ranks are there, but nothing tells the difference of their clocks.
TEST(ExposedCommunication, OfRanksWithoutACommonClock) {
  JobForTest job;
  for (int rank = 0; rank < 2; ++rank) job.Add(rank, OfUnevenExchanges(rank, "[0, 1]", 2));
  const std::string told = TitleAndChange(job);
  EXPECT_NE(told.find("exposed-communication"), std::string::npos) << told;
  EXPECT_NE(told.find("the clocks of the ranks are not known to each other"), std::string::npos)
      << told;
  EXPECT_NE(told.find("Record a collective that ends on all ranks at once"), std::string::npos)
      << told;
  EXPECT_EQ(told.find("not recorded"), std::string::npos) << told;
}

// Of four ranks, two were recorded.
TEST(ExposedCommunication, OfRanksThatWereNotRecorded) {
  JobForTest job;
  for (int rank = 0; rank < 2; ++rank) job.Add(rank, OfUnevenExchanges(rank, "[0, 1, 2, 3]", 4));
  const std::string told = TitleAndChange(job);
  EXPECT_NE(told.find("other ranks were not recorded"), std::string::npos) << told;
  EXPECT_NE(told.find("Record all ranks"), std::string::npos) << told;
}

// Layers whose parameters are gathered for the forward and for the backward of each micro-batch, in
// so many pieces, in 40 MB each; products are in bf16.
struct ShardedLayers {
  std::string_view dtype = "BFloat16";
  int micro_batches = 1;
  int pieces = 1;
};
Told TellOfShards(const ShardedLayers& sharded) {
  const Told told = TellOf([=](Program& of, int step) {
    const auto layers = [&] {
      for (int layer = 0; layer < 6; ++layer) {
        const std::int64_t elements = 40'000'000 / (sharded.dtype == "Float" ? 4 : 2);
        for (int piece = 0; piece < sharded.pieces; ++piece)
          of.Exchange({.name = "_allgather_base",
                       .in = elements / 2 / sharded.pieces,
                       .out = elements / sharded.pieces,
                       .dtype = sharded.dtype,
                       .group = "1",
                       .description = "DATA_PARALLEL_GROUP"},
                      500 / sharded.pieces);
        of.Op("aten::mm", "gemm", 300, "[[64,64],[64,64]]", R"(["c10::BFloat16","c10::BFloat16"])");
      }
    };
    for (int batch = 0; batch < sharded.micro_batches; ++batch) {
      const std::int64_t sequence = 100 * step + batch + 1;
      of.Records("aten::mm", sequence, layers);
      of.Evaluates("MmBackward0", sequence, layers);
    }
    of.Collective("_reduce_scatter_base", 40'000'000, 100);
  });
  EXPECT_EQ(told.first(), "exposed-communication") << told.all;
  return told;
}

// Twelve gatherings of 500 us: 250 of the first, and of each other what 300 us of products before
// it leave of 500, and half of 500 less.
TEST(ExposedCommunication, GatheredInHalfTheBits) {
  const Told narrow = TellOfShards({}), wide = TellOfShards({.dtype = "Float"});
  EXPECT_NEAR(narrow.gain, 100 * 11 * 300 / narrow.mean_step, 0.5);
  EXPECT_NEAR(wide.gain, 100 * (250 + 11 * 500) / wide.mean_step, 0.5);
}

TEST(ExposedCommunication, AdviceForShardsGoesByWhatIsGathered) {
  const auto has = [](const ShardedLayers& sharded, std::string_view advice) {
    return TellOfShards(sharded).change.find(advice) != std::string::npos;
  };
  constexpr std::string_view kAhead = "Gather ahead of use", kInHalf = "Gather in 16 bits",
                             kOnce = "Keep the parameters of a step", kBlocks = "Wrap whole blocks";
  EXPECT_TRUE(has({}, kAhead));
  EXPECT_FALSE(has({}, kInHalf));
  EXPECT_FALSE(has({}, kOnce));
  EXPECT_FALSE(has({}, kBlocks));
  EXPECT_TRUE(has({.dtype = "Float"}, kInHalf));
  EXPECT_TRUE(has({.micro_batches = 3}, kOnce));
  EXPECT_TRUE(has({.pieces = 10}, kBlocks));
  EXPECT_FALSE(has({.pieces = 10}, kAhead));
  EXPECT_EQ(TellOfShards({}).change.find("bucket_cap_mb"), std::string::npos);
}

// Features that ranks gather from each other, in fp32, in a job that reduces its gradients.
TEST(ExposedCommunication, GatheredFeaturesAreNoParameters) {
  const Told told = TellOf([](Program& of, int step) {
    of.Records("aten::mm", step + 1, [&] { of.Products(4); });
    for (int i = 0; i < 3; ++i)
      of.Exchange({.name = "_allgather_base",
                   .in = 5'000'000,
                   .out = 10'000'000,
                   .dtype = "Float",
                   .group = "1",
                   .description = "DATA_PARALLEL_GROUP"},
                  300);
    of.Evaluates("MmBackward0", step + 1, [&] {
      for (int i = 0; i < 4; ++i)
        of.Op("aten::mm", "gemm", 100, "[[64,64],[64,64]]", R"(["c10::BFloat16","c10::BFloat16"])");
    });
  });
  EXPECT_EQ(told.title.find("parameters are gathered"), std::string::npos) << told.title;
}

TEST(ExposedCommunication, AdviceForReductionsGathersNothing) {
  const Told told = TellOf(Reductions(10, 4));
  EXPECT_NE(told.change.find("bucket_cap_mb=25"), std::string::npos) << told.change;
  EXPECT_EQ(told.change.find("prefetch"), std::string::npos) << told.change;
}

}  // namespace
}  // namespace rankscope
