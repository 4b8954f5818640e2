// exposed-transfer: what layers exchange, within hosts and between them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/units_for_test.h"
#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Four ranks compute 2000 us a step; then each group exchanges tokens for `us`, and the host waits.
Table Exchanges(std::string_view hosts, const std::vector<std::string_view>& group_of_rank,
                std::int64_t us, std::string_view name = "all_to_allv",
                std::int64_t listed_devices = 0) {
  JobForTest job;
  for (int rank = 0; rank < 4; ++rank) {
    TraceForTest trace;
    const std::string_view group = group_of_rank[static_cast<std::size_t>(rank)];
    const std::int64_t end = 2020 + us;
    for (std::int64_t step = 0; step < 5; ++step) {
      const std::int64_t t = (end + 50) * step;
      const std::int64_t call = 10 * step;
      // Four bytes each: 20 MB of a member.
      trace.Step(step, t * kUs, (end + 50) * kUs)
          .Launch(call + 1, (t + 10) * kUs, 5 * kUs)
          .Kernel(7, "gemm", (t + 20) * kUs, 2000 * kUs, call + 1)
          .Launch(call + 2, (t + 20) * kUs, 5 * kUs)
          .Comm(7, (t + 2020) * kUs, us * kUs,
                {.name = name,
                 .in = 5'000'000,
                 .out = 5'000'000,
                 .group = group,
                 .ranks = group,
                 .size = group.size() > 6 ? 4 : 2})
          .Linked(call + 2)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 40) * kUs, (end - 35) * kUs,
                call + 4);
    }
    job.Add(rank, trace.DeviceName(0, "NVIDIA A100-SXM4-80GB", -1).Build(1'000'000))
        .OnHost(hosts.empty() ? hosts : hosts.substr(static_cast<std::size_t>(rank), 1))
        .Listing(listed_devices, 4);
  }
  return job.Run(FindingsAnalysis());
}

const std::vector<std::string_view> kAll(4, "[0, 1, 2, 3]");
const std::vector<std::string_view> kPairs = {"[0, 1]", "[0, 1]", "[2, 3]", "[2, 3]"};

TEST(ExposedTransfer, OfExpertsBetweenHosts) {
  const Table findings = Exchanges("aabb", kAll, 800);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "gain_method", "time_lost_ns", "title"}),
            "exposed-transfer,low,0-3,bound,800000,layers wait 800 us a step for what "
            "expert-parallel groups exchange at 18.8 GB/s, most of it all_to_all of 20 MB in group "
            "(4 ranks); the groups span hosts\n");
  EXPECT_NEAR(Gain(findings), 100 * 800.0 / 2870, 0.5);
}

// By the devices that recordings list: two to a host. One each may be all that a container shows.
TEST(ExposedTransfer, OneListedDeviceTellsNoHost) {
  const auto title = [](std::int64_t devices) {
    return Rows(Exchanges("", kAll, 800, "all_to_allv", devices), {"title"});
  };
  EXPECT_NE(title(2).find("the groups span hosts"), std::string::npos) << title(2);
  EXPECT_EQ(title(1).find("the groups span hosts"), std::string::npos) << title(1);
  EXPECT_EQ(title(1), title(4));
}

// A host has room for both ranks of a group: at 0.6 of the 300 GB/s of its links an exchange at
// 12.5 GB/s would take a fourteenth.
TEST(ExposedTransfer, OfGroupsThatAHostHasRoomFor) {
  const Table findings = Exchanges("abab", kPairs, 800);
  EXPECT_EQ(
      Rows(findings, {"id", "severity", "time_lost_ns", "title"}),
      "exposed-transfer,high,744444,layers wait 800 us a step for what expert-parallel groups "
      "exchange at 12.5 GB/s, most of it all_to_all of 20 MB in group (2 ranks); the groups "
      "span hosts that have room for a whole one\n");
  EXPECT_NEAR(Gain(findings), 100 * 800.0 * (1 - 12.5 / 180) / 2870, 0.5);
  const auto change = std::get<std::string_view>(Cell(findings, 0, "recommendation"));
  EXPECT_NE(change.find("on devices of one host"), std::string_view::npos) << change;
}

// It is the layout's price, until it takes a fifth of the step; or groups could lie otherwise.
TEST(ExposedTransfer, IsToldOfMuch) {
  for (const std::string_view hosts : {"aaaa", "aabb"}) {
    EXPECT_EQ(Ids(Exchanges(hosts, kAll, 400)), "");
    EXPECT_EQ(Ids(Exchanges(hosts, kAll, 800)), "exposed-transfer\n");
  }
  EXPECT_EQ(Ids(Exchanges("abab", kPairs, 400)), "exposed-transfer\n");
  EXPECT_EQ(Ids(Exchanges("abab", kPairs, 80)), "");
}

// Decoding: in each of 20 layers 100 us of products and an all-reduce of 128 kB between two devices
// with links of their own, for `us`.
Told Decodes(std::int64_t us, std::string_view description = "TENSOR_MODEL_PARALLEL_GROUP") {
  const Body body = [=](Program& of, int) {
    for (int layer = 0; layer < 20; ++layer) {
      of.Products(1);
      of.Exchange({.name = "allreduce",
                   .in = 32'768,
                   .out = 32'768,
                   .group = "1",
                   .ranks = "[0, 1]",
                   .size = 2,
                   .description = description},
                  us);
    }
  };
  return TellOf(body);
}

TEST(ExposedTransfer, OfLittleInEachLayer) {
  const Told told = Decodes(40);
  EXPECT_EQ(told.first(), "exposed-transfer") << told.all;
  EXPECT_EQ(told.method, "replay");
  EXPECT_NEAR(told.gain, 100 * 20 * 29.3 / told.mean_step, 1);
  EXPECT_TRUE(told.title.starts_with("layers wait 20 times a step")) << told.title;
  EXPECT_FALSE(Decodes(12).Has("exposed-transfer")) << "what such exchanges take";
  EXPECT_FALSE(Decodes(40, "DATA_PARALLEL_GROUP").Has("exposed-transfer"));
}

// As inside of graphs, where no group is stated: replicas that only infer would have nothing to
// reduce.
TEST(ExposedTransfer, OfRanksThatInferWithoutStatedGroups) {
  const auto decodes = [](int layers, std::int64_t us) {
    return TellOf([=](Program& of, int) {
      for (int layer = 0; layer < layers; ++layer) {
        of.Products(1);
        of.Launches("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", us, false);
      }
    });
  };
  EXPECT_EQ(decodes(20, 40).all, "exposed-transfer ");
  EXPECT_FALSE(decodes(20, 12).Has("exposed-transfer"));
  EXPECT_FALSE(decodes(6, 40).Has("exposed-transfer"));
}

// What experts exchange beside that is told, though it is less often.
TEST(ExposedTransfer, OfLittleAndOfMuch) {
  const Told told = TellOf([](Program& of, int) {
    for (int layer = 0; layer < 4; ++layer) {
      of.Products(1);
      of.Exchange({.name = "allreduce",
                   .in = 32'768,
                   .out = 32'768,
                   .group = "1",
                   .ranks = "[0, 1]",
                   .size = 2,
                   .description = "TENSOR_MODEL_PARALLEL_GROUP"},
                  11);
      of.Exchange({.name = "all_to_allv",
                   .in = 5'000'000,
                   .out = 5'000'000,
                   .group = "2",
                   .ranks = "[0, 1]",
                   .size = 2},
                  100);
    }
  });
  EXPECT_TRUE(told.Has("exposed-transfer")) << told.all;
}

// Gradients of data parallelism are another matter (exposed-communication).
TEST(ExposedTransfer, IsNotOfGradients) {
  EXPECT_EQ(Ids(Exchanges("aabb", kAll, 800, "allreduce")).find("exposed-transfer"),
            std::string::npos);
}

// All-to-alls of a job that looks up tables are of embeddings; where it computes experts, of
// tokens.
TEST(ExposedTransfer, OfEmbeddings) {
  const auto told_with = [](std::string_view op) {
    return TellOf([=](Program& of, int) {
      of.Op(op, "gemm", 100);
      of.Products(10);
      of.Exchange({.name = "all_to_allv", .in = 10'000'000, .out = 10'000'000}, 800);
    });
  };
  const Told tables = told_with("fbgemm::split_embedding_codegen_lookup_rowwise_adagrad");
  ASSERT_EQ(tables.all, "exposed-transfer ");
  EXPECT_NE(tables.title.find("for what ranks with shards of embedding tables exchange"),
            std::string::npos)
      << tables.title;
  EXPECT_NE(tables.change.find("TrainPipelineSparseDist"), std::string::npos) << tables.change;
  const Told experts = told_with("aten::_grouped_mm");
  ASSERT_EQ(experts.all, "exposed-transfer ");
  EXPECT_NE(experts.title.find("expert-parallel groups"), std::string::npos) << experts.title;
  EXPECT_NE(experts.change.find("DeepEP"), std::string::npos) << experts.change;
}

}  // namespace
}  // namespace rankscope
