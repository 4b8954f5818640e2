// What rules share, on two ranks whose times are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/units_for_test.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/evidence/kernels/device_streams.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/selection.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;

// Four steps of 1000 us, of which the last is not complete: a product of 300 us (on rank 1 360), a
// copy kernel of 100 on rank 1 only, and an all-reduce of 200 us that both begin 500 us into the
// step.
JobForTest TwoRanksEvidence() {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 4; ++step) {
      const std::int64_t t = 1000 * step;
      const std::int64_t call = 10 * step;
      trace.Step(step, t * kUs, 1000 * kUs)
          .Launch(call + 1, (t + 10) * kUs, 5 * kUs)
          .Kernel(7, "gemm", (t + 20) * kUs, (rank == 0 ? 300 : 360) * kUs, call + 1)
          .Launch(call + 3, (t + 50) * kUs, 5 * kUs)
          .Comm(7, (t + 500) * kUs, 200 * kUs,
                {.name = "allreduce", .in = 1000, .out = 1000, .group = "0", .ranks = "[0, 1]"})
          .Linked(call + 3)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 60) * kUs, 650 * kUs,
                call + 4);
      if (rank == 1)
        trace.Launch(call + 2, (t + 30) * kUs, 5 * kUs)
            .Kernel(7, "copy_kernel", (t + 380) * kUs, 100 * kUs, call + 2);
    }
    job.Add(rank, trace.Build(1'000'000));
  }
  return job;
}

Selection CopiesEvidence(const RuleInput& input) {
  return Select(input, [](NodeId, const NodeKind& kind) { return kind.name == "copy_kernel"; });
}

TEST(Evidence, IsMadeOnceForAllRules) {
  LookAt(TwoRanksEvidence(), {}, [](const RuleInput& input) {
    const auto& exchanges = input.Shared<Exchanges>();
    EXPECT_EQ(exchanges.all().size(), 4u);
    EXPECT_NE(static_cast<const void*>(&input.Shared<DeviceStreams>()), &exchanges);
    EXPECT_EQ(&input.Shared<Exchanges>(), &exchanges);
  });
}

TEST(NodeSums, AreOfTheRanksThatHaveSuchNodes) {
  LookAt(TwoRanksEvidence(), {}, [](const RuleInput& input) {
    ASSERT_EQ(input.counted().size(), 3u);
    const Selection copies = CopiesEvidence(input);
    const NodeSums& sums = copies.sums();
    EXPECT_THAT(sums.ranks(), ElementsAre(1u));
    EXPECT_EQ(sums.nodes().size(), 3u);
    EXPECT_EQ(sums.lost_ns(), 300 * kUs);
    EXPECT_EQ(sums.CountPerStep(), 1);
    EXPECT_EQ(sums.LostPerStep(), 100 * kUs);
    Cause cause;
    sums.TellIn(cause);
    EXPECT_THAT(cause.ranks, ElementsAre(1u));
    EXPECT_EQ(cause.lost_ns, 100 * kUs);
    ASSERT_EQ(cause.places.size(), 1u);
    EXPECT_EQ(cause.places.front().op, "copy_kernel");
  });
}

// A wait shows at the op before it, which itself takes no time of note.
TEST(NodeSums, ShownAtAnotherNodeTakeWhatIsLost) {
  LookAt(TwoRanksEvidence(), {}, [](const RuleInput& input) {
    const JobGraph& graph = input.graph();
    NodeSums sums(input);
    NodeId launch = kNoNode, product = kNoNode;
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (!input.Counts(node) || input.RankOf(node) != 0) continue;
      if (graph.KindOf(node).name == "gemm") product = node;
      if (graph.KindOf(node).name == "cudaLaunchKernel") launch = node;
    }
    ASSERT_NE(launch, kNoNode);
    ASSERT_NE(product, kNoNode);
    sums.AddShown(product, launch, 500.0 * kUs);
    sums.Add(product, 0);
    Cause cause;
    sums.TellIn(cause);
    ASSERT_EQ(cause.places.size(), 2u);
    EXPECT_EQ(cause.places[0].op, "cudaLaunchKernel");
    EXPECT_EQ(cause.places[0].ns, 500 * kUs);
    EXPECT_EQ(cause.places[1].ns, 300 * kUs);
    EXPECT_THAT(cause.nodes, ElementsAre(launch, product));
  });
}

TEST(NodeSums, OfNothingAreZero) {
  LookAt(TwoRanksEvidence(), {}, [](const RuleInput& input) {
    const NodeSums sums(input);
    EXPECT_TRUE(sums.empty());
    EXPECT_EQ(sums.CountPerStep(), 0);
    EXPECT_EQ(sums.LostPerStep(), 0);
  });
}

// What is in no step that counts is selected, so that a replay is without it; sums leave it out.
TEST(NodeSums, LeaveOutWhatDoesNotCount) {
  JobForTest job;
  TraceForTest trace;
  for (std::int64_t step = 0; step < 3; ++step)
    trace.Step(step, (1000 + 500 * step) * kUs, 500 * kUs);
  std::int64_t call = 0;
  // The first one before all steps, the last one in a step that is not complete.
  for (const std::int64_t begin : {100, 1100, 1600, 2100}) {
    ++call;
    trace.Launch(call, begin * kUs, 5 * kUs).Kernel(7, "gemm", (begin + 10) * kUs, 50 * kUs, call);
  }
  job.Add(0, trace.Build());
  LookAt(job, {}, [](const RuleInput& input) {
    Selection all(input);
    NodeSums shown(input);
    std::vector<NodeId> outside;
    for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
      if (input.graph().KindOf(node).work != Work::kCompute) continue;
      if (!input.Counts(node)) outside.push_back(node);
      all.Add(node);
      EXPECT_TRUE(all.Has(node));
      shown.AddLost(node, 7);
    }
    ASSERT_EQ(outside.size(), 2u);
    EXPECT_EQ(all.sums().nodes().size(), 2u);
    EXPECT_EQ(all.sums().lost_ns(), 100 * kUs);
    for (const NodeId node : outside) EXPECT_EQ(all.Without().DurationOf(node), 0);
    EXPECT_TRUE(shown.empty());
    EXPECT_EQ(shown.lost_ns(), 14);
  });
}

TEST(TransferSums, AreOfEachExchangeOnce) {
  LookAt(TwoRanksEvidence(), {}, [](const RuleInput& input) {
    TransferSums sums(input);
    for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
      EXPECT_EQ(exchange.transfer_ns, 200 * kUs);
      sums.Add(exchange, 50 * kUs);
    }
    EXPECT_EQ(sums.count(), 3u);
    EXPECT_EQ(sums.steps().size(), 3u);
    EXPECT_EQ(sums.nodes().size(), 6u);
    EXPECT_EQ(sums.lost_ns(), 150 * kUs);
    Cause cause;
    sums.TellIn(cause);
    EXPECT_THAT(cause.ranks, ElementsAre(0u, 1u));
    EXPECT_EQ(cause.lost_ns, 50 * kUs);
  });
}

// Only what its peer runs, too, tells how fast a rank is: the product, whose median is 330 us.
TEST(PeerSpeed, IsOfWhatPeersRunToo) {
  LookAt(TwoRanksEvidence(), {}, [](const RuleInput& input) {
    const std::vector<PeerSpeed> speeds = SpeedOfRanks(
        input, input.same_work(), 1.1,
        [](const NodeKind& kind) { return kind.work == Work::kCompute && kind.name == "gemm"; });
    ASSERT_EQ(speeds.size(), 2u);
    EXPECT_EQ(speeds[0].own_ns, 900 * kUs);
    EXPECT_EQ(speeds[1].own_ns, 1080 * kUs);
    EXPECT_EQ(speeds[0].typical_ns, speeds[1].typical_ns);
    // From 5 % above the typical time on.
    EXPECT_EQ(speeds[0].slower_places, 0u);
    EXPECT_EQ(speeds[1].slower_places, 3u);
    EXPECT_EQ(SumOf(speeds, {0, 1}).own_ns, 1980 * kUs);
  });
}

}  // namespace
}  // namespace rankscope
