// Late arrivals and their roots, by hand; and that every nanosecond of skew has one.
#include "replay/peers/late_arrivals.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

std::optional<std::int64_t> TwoMicroseconds(std::uint32_t, std::uint32_t) { return 2 * kUs; }

std::string RanksText(const std::vector<std::uint32_t>& ranks) {
  std::string text = "r";
  for (const std::uint32_t rank : ranks) text += fmt::format("{}{}", text == "r" ? "" : "+", rank);
  return text;
}

// "step 1: r2 200 = r2 slower kernels 200\n": a line per rendezvous, in us.
std::string TextOf(const JobGraph& graph, const LateArrivals& late) {
  std::string text;
  for (const LateArrival& arrival : late.all()) {
    text += fmt::format("step {}: r{} {} =", graph.steps()[arrival.step].number,
                        graph.RankOf(arrival.last), arrival.skew_ns / kUs);
    for (const LateRoot& root : late.RootsOf(arrival)) {
      text += fmt::format(" {} {} {}", RanksText(late.Who(root.who)), ToString(root.cause),
                          root.blamed_ns / kUs);
    }
    text += '\n';
  }
  return text;
}

void ExpectRootsSumToSkews(const LateArrivals& late) {
  for (const LateArrival& arrival : late.all()) {
    std::int64_t sum = 0;
    for (const LateRoot& root : late.RootsOf(arrival)) {
      EXPECT_GT(root.blamed_ns, 0);
      sum += root.blamed_ns;
    }
    EXPECT_EQ(sum, arrival.skew_ns);
    EXPECT_GE(arrival.wait_ns, arrival.skew_ns);
    EXPECT_LE(arrival.lead_ns, arrival.skew_ns);
  }
}

// What a rank does in a step; times in us.
struct Plan {
  std::int64_t load = 10;
  std::int64_t op = 20;  // launches 10 before its end
  std::int64_t gemm = 300;
  std::int64_t pair = 50;  // transfer with the neighbour, where there are pairs
  std::string_view shapes = "[[8,8],[8,8]]";
};

// A step takes 1000: loading, an op that launches a product, which begins 5 behind the call, then
// all-reduces, the last until 900; the host waits for it until 930.
class LateArrivalsRanks {
 public:
  // With pairs, ranks 2k and 2k + 1 reduce before the even and the odd ones do.
  LateArrivalsRanks(std::size_t ranks, std::size_t steps, bool in_pairs = false)
      : plans_(ranks, std::vector<Plan>(steps)), in_pairs_(in_pairs) {}

  Plan& At(std::size_t rank, std::size_t step) { return plans_[rank][step]; }
  LateArrivalsRanks& Always(std::size_t rank, const Plan& plan) {
    for (Plan& of_step : plans_[rank]) of_step = plan;
    return *this;
  }

  JobForTest Job() const {
    JobForTest job;
    for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
      TraceForTest trace;
      for (std::size_t step = 0; step < plans_[rank].size(); ++step) AddStep(trace, rank, step);
      job.Add(static_cast<std::int64_t>(rank), trace.Build(kBase));
    }
    return job;
  }

 private:
  std::int64_t Arrival(const Plan& plan) const { return plan.load + plan.op + plan.gemm; }

  void AddStep(TraceForTest& trace, std::size_t rank, std::size_t step) const {
    const Plan& plan = plans_[rank][step];
    const std::int64_t t = 1000 * static_cast<std::int64_t>(step);
    const std::int64_t call = 10 * static_cast<std::int64_t>(step);
    const std::int64_t op = t + plan.load;
    const std::int64_t gemm = op + plan.op;
    trace.Step(static_cast<std::int64_t>(step), t * kUs, 1000 * kUs)
        .Host(1, EventKind::kUserAnnotation,
              "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t * kUs,
              plan.load * kUs);
    if (plan.shapes.empty()) {
      trace.Host(1, EventKind::kCpuOp, "aten::mm", op * kUs, plan.op * kUs);
    } else {
      trace.Op(1, "aten::mm", op * kUs, plan.op * kUs, plan.shapes);
    }
    trace.Launch(call + 1, (gemm - 10) * kUs, 5 * kUs)
        .Kernel(7, "gemm", gemm * kUs, plan.gemm * kUs, call + 1);
    std::int64_t ready = gemm + plan.gemm;
    std::string all = "[0";
    for (std::size_t other = 1; other < plans_.size(); ++other) all += fmt::format(", {}", other);
    std::string like = fmt::format("[{}", rank % 2);
    for (std::size_t other = rank % 2 + 2; other < plans_.size(); other += 2)
      like += fmt::format(", {}", other);
    const auto count = static_cast<std::int32_t>(plans_.size());
    const auto even = static_cast<std::int64_t>(rank - rank % 2);
    const std::string pair = fmt::format("[{}, {}]", even, even + 1);
    const std::string pair_name = fmt::format("pair{}", even);
    if (in_pairs_) {
      const Plan& other = plans_[rank ^ 1][step];
      const std::int64_t met = t + std::max(Arrival(plan), Arrival(other));
      const std::int64_t end = met + std::max(plan.pair, other.pair);
      trace.Launch(call + 3, (gemm + 2) * kUs, 2 * kUs)
          .Comm(7, ready * kUs, (end - ready) * kUs,
                {.name = "allreduce",
                 .in = 100,
                 .out = 100,
                 .group = pair_name,
                 .ranks = pair,
                 .size = 2})
          .Linked(call + 3);
      ready = end;
    }
    trace.Launch(call + 2, (gemm + 5) * kUs, 2 * kUs)
        .Comm(7, ready * kUs, (t + 900 - ready) * kUs,
              {.name = "allreduce",
               .in = 1000,
               .out = 1000,
               .group = in_pairs_ ? (rank % 2 == 0 ? "even" : "odd") : "all",
               .ranks = in_pairs_ ? like + "]" : all + "]",
               .size = in_pairs_ ? count / 2 : count})
        .Linked(call + 2)
        .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (gemm + 10) * kUs,
              (t + 930 - gemm - 10) * kUs, call + 4);
  }

  std::vector<std::vector<Plan>> plans_;
  bool in_pairs_;
};

std::string Roots(const LateArrivalsRanks& ranks,
                  const std::optional<Peers>& peers = std::nullopt) {
  const JobContext job = WithReplay(ranks.Job());
  const JobGraph& graph = GraphOf(job);
  const AcrossFacts& across = AcrossOf(job);
  const Peers compared =
      peers ? *peers : PeersOf(across.layout(), across.collectives().ranks().size());
  const LateArrivals late(graph, Replay(Scenario(graph)), compared, Places(graph, compared),
                          TwoMicroseconds);
  ExpectRootsSumToSkews(late);
  return TextOf(graph, late);
}

// Before the first step nothing is known, so that it does not count.
TEST(LateArrivals, AJobWithoutSkewHasNone) { EXPECT_EQ(Roots(LateArrivalsRanks(3, 3)), ""); }

TEST(LateArrivals, SlowKernels) {
  LateArrivalsRanks ranks(3, 3);
  ranks.Always(1, {.gemm = 500});
  EXPECT_EQ(Roots(ranks),
            "step 1: r1 200 = r1 slower kernels 200\nstep 2: r1 200 = r1 slower kernels 200\n");
}

TEST(LateArrivals, LargerInputsAreMoreWork) {
  LateArrivalsRanks ranks(3, 2);
  ranks.Always(1, {.gemm = 500, .shapes = "[[16,8],[8,8]]"});
  EXPECT_EQ(Roots(ranks), "step 1: r1 200 = r1 more work 200\n");
}

TEST(LateArrivals, WithoutShapesTheTwoAreNotToldApart) {
  LateArrivalsRanks ranks(3, 2);
  for (std::size_t rank = 0; rank < 3; ++rank) ranks.Always(rank, {.shapes = ""});
  ranks.Always(1, {.gemm = 500, .shapes = ""});
  EXPECT_EQ(Roots(ranks), "step 1: r1 200 = r1 kernels 200\n");
}

TEST(LateArrivals, ALateHost) {
  LateArrivalsRanks ranks(3, 2);
  ranks.Always(2, {.op = 120});
  EXPECT_EQ(Roots(ranks), "step 1: r2 100 = r2 host 100\n");
}

TEST(LateArrivals, WaitingForInput) {
  LateArrivalsRanks ranks(3, 2);
  ranks.Always(0, {.load = 160});
  EXPECT_EQ(Roots(ranks), "step 1: r0 150 = r0 input 150\n");
}

// Rank 1's product takes 20 less than usual, so that of 220 only 200 are rank 2's.
TEST(LateArrivals, WhatTheFirstWasFasterIsUnexplained) {
  LateArrivalsRanks ranks(4, 2);
  ranks.Always(1, {.gemm = 280}).Always(2, {.gemm = 500});
  EXPECT_EQ(Roots(ranks), "step 1: r2 220 = r2 slower kernels 200 r2 unexplained 20\n");
}

// In step 2 all load longer: ranks 0 and 1 by 100, rank 2 by 60, whose product takes 200 longer,
// too. Of its excess of 260 the skew leaves 160.
TEST(LateArrivals, TheLargestCauseIsChargedFirst) {
  LateArrivalsRanks ranks(3, 5);
  ranks.At(0, 2).load = ranks.At(1, 2).load = 110;
  ranks.At(2, 2) = {.load = 70, .gemm = 500};
  EXPECT_EQ(Roots(ranks), "step 2: r2 160 = r2 slower kernels 160\n");
}

Peers EachAlone(std::uint32_t ranks) {
  Peers peers;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    peers.group_of.push_back(rank);
    peers.of.push_back({rank});
  }
  return peers;
}

// Compared with its own steps alone, as a stage of a pipeline that has one rank.
TEST(LateArrivals, MoreToDoInTheUsualTimeIsUsualWork) {
  LateArrivalsRanks ranks(2, 4);
  ranks.Always(1, {.gemm = 500});
  EXPECT_EQ(Roots(ranks, EachAlone(2)),
            "step 1: r1 200 = r1 usual work 200\nstep 2: r1 200 = r1 usual work 200\n"
            "step 3: r1 200 = r1 usual work 200\n");
}

TEST(LateArrivals, WithNothingToCompareWithItIsUnexplained) {
  LateArrivalsRanks ranks(2, 2);
  ranks.Always(1, {.gemm = 500});
  EXPECT_EQ(Roots(ranks, EachAlone(2)), "step 1: r1 200 = r1 unexplained 200\n");
}

// The pair of rank 1 waits for it; so rank 0 comes late to the even ones, which is rank 1's fault.
TEST(LateArrivals, ThroughTheCollectiveOfAnotherGroup) {
  LateArrivalsRanks ranks(6, 2, true);
  ranks.Always(1, {.gemm = 500});
  EXPECT_EQ(Roots(ranks),
            "step 1: r0 200 = r1 slower kernels 200\n"
            "step 1: r1 200 = r1 slower kernels 200\n"
            "step 1: r1 200 = r1 slower kernels 200\n");
}

// Nobody comes late to the pair's transfer; that it takes long makes both come late to the next.
TEST(LateArrivals, ASlowTransferIsNoRanksFault) {
  LateArrivalsRanks ranks(6, 2, true);
  ranks.Always(2, {.pair = 150});
  EXPECT_EQ(Roots(ranks),
            "step 1: r2 100 = r2+3 transfer 100\nstep 1: r3 100 = r2+3 transfer 100\n");
}

// Of two groups the one that is faster is as usual.
TEST(LateArrivals, OfTwoTransfersTheSlowOneDoesNotDecide) {
  LateArrivalsRanks ranks(4, 3, true);
  ranks.Always(2, {.pair = 150});
  EXPECT_EQ(Roots(ranks),
            "step 1: r2 100 = r2+3 transfer 100\nstep 2: r2 100 = r2+3 transfer 100\n"
            "step 1: r3 100 = r2+3 transfer 100\nstep 2: r3 100 = r2+3 transfer 100\n");
}

TEST(LateArrivals, AnotherRankInEachStep) {
  LateArrivalsRanks ranks(3, 4);
  for (std::size_t step = 0; step < 4; ++step) ranks.At(step % 3, step).gemm = 500;
  EXPECT_EQ(Roots(ranks),
            "step 1: r1 200 = r1 slower kernels 200\nstep 2: r2 200 = r2 slower kernels 200\n"
            "step 3: r0 200 = r0 slower kernels 200\n");
}

TEST(LateArrivals, EveryNanosecondHasOneRoot) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const bool in_pairs = round % 2 == 1;
    LateArrivalsRanks ranks(6, 4, in_pairs);
    const auto any = [&](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least));
    };
    for (std::size_t rank = 0; rank < 6; ++rank) {
      for (std::size_t step = 0; step < 4; ++step) {
        Plan& plan = ranks.At(rank, step);
        plan = {.load = any(10, 90), .op = any(12, 80), .gemm = any(50, 400), .pair = any(5, 80)};
        if (random() % 3 == 0) plan.shapes = "[[9,9],[9,9]]";
      }
    }
    EXPECT_NE(Roots(ranks), "");
    if (HasFailure()) return;
  }
}

// Graphs of nodes: `events` counts each rank's kernels of communication.
struct HandMade {
  std::vector<TraceForTest> traces;
  std::vector<NodesForTest> nodes;
  std::vector<std::int64_t> events;

  explicit HandMade(std::size_t ranks) : traces(ranks), nodes(ranks), events(ranks, 0) {}

  // Of all ranks, on a stream of its own or behind others; returns the node.
  std::int64_t Reduce(std::size_t rank, std::int64_t track, std::int64_t begin_us,
                      std::int64_t end_us) {
    traces[rank].Comm(track, begin_us * kUs, (end_us - begin_us) * kUs,
                      {.name = "allreduce",
                       .in = 10,
                       .out = 10,
                       .group = "all",
                       .ranks = traces.size() == 2 ? "[0, 1]" : "[0, 1, 2]",
                       .size = static_cast<std::int32_t>(traces.size()),
                       .sequence = static_cast<std::int32_t>(events[rank])});
    nodes[rank].Kind(Work::kCommunication, "nccl");
    return nodes[rank].Add(track, kBase + begin_us * kUs, (end_us - begin_us) * kUs, 0,
                           1'000'000 + events[rank], events[rank]++);
  }

  std::string Roots() {
    JobForTest job;
    std::vector<std::vector<Table>> tables;
    Peers peers;
    peers.of.emplace_back();
    for (std::uint32_t rank = 0; rank < traces.size(); ++rank) {
      job.Add(rank, traces[rank].Build(kBase));
      tables.push_back(nodes[rank].Tables());
      peers.group_of.push_back(0);
      peers.of.front().push_back(rank);
    }
    const auto graph = GraphOfTables(job, std::move(tables)).value();
    const LateArrivals late(*graph, Replay(Scenario(*graph)), peers, Places(*graph, peers),
                            TwoMicroseconds);
    ExpectRootsSumToSkews(late);
    return TextOf(*graph, late);
  }
};

// Two buckets of gradients. Rank 1's first product takes 200 longer. The others compute on, and
// their second bucket waits behind the first with its work done: rank 1 is as late to it as it was
// to the first, less what the first one's transfer took.
//
//   rank 0, 2   |-A 100-|-B 100-|
//                       |---------bucket 1---------|-bucket 2-|
//   rank 1      |-----------A 300-----------|-B 100-|
//                                           |-20-|  |-20-|
TEST(LateArrivals, WhatIsLateToOneBucketIsLateToTheNext) {
  HandMade job(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    NodesForTest& nodes = job.nodes[rank];
    const std::int64_t a = rank == 1 ? 300 : 100;
    nodes.Step(0, kBase, kBase + 600 * kUs);
    const std::int64_t start = job.Reduce(rank, 7, 0, 10);
    nodes.Kind(Work::kCompute, "gemm", "[[8,8]]");
    const std::int64_t first = nodes.Add(7, kBase + 10 * kUs, a * kUs, 0, 1);
    const std::int64_t second = nodes.Add(7, kBase + (10 + a) * kUs, 100 * kUs, 0, 2);
    const std::int64_t one = job.Reduce(rank, 8, 10 + a, 330);
    const std::int64_t two = job.Reduce(rank, 8, rank == 1 ? 410 : 330, 430);
    EXPECT_LT(start, first);
    nodes.Edge(first, one, 0, DependencyKind::kEventWait)
        .Edge(second, two, 0, DependencyKind::kEventWait);
  }
  EXPECT_EQ(job.Roots(),
            "step 0: r1 200 = r1 slower kernels 200\nstep 0: r1 80 = r1 slower kernels 80\n");
}

// Rank 1 reads a value back, which peers do not: its host launches the reduction only when the
// device is through. The call takes 2 itself; the 10 until the launch would have passed beside the
// product.
TEST(LateArrivals, ABlockingCallThatPeersDoNotMake) {
  HandMade job(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    NodesForTest& nodes = job.nodes[rank];
    nodes.Step(0, kBase, kBase + 600 * kUs);
    job.Reduce(rank, 7, 0, 10);
    nodes.Kind(Work::kOp, "aten::mm");
    const std::int64_t launch = nodes.Add(1, kBase, 10 * kUs, 0, 1);
    nodes.Kind(Work::kCompute, "gemm", "[[8,8]]");
    const std::int64_t gemm = nodes.Add(7, kBase + 10 * kUs, 300 * kUs, 0, 2);
    nodes.Edge(launch, gemm);
    std::int64_t ready = 10;
    if (rank == 1) {
      nodes.Kind(Work::kSyncCall, "cudaStreamSynchronize");
      nodes.Edge(gemm, nodes.Add(1, kBase + 310 * kUs, 2 * kUs, 0, 3), 0, DependencyKind::kSync);
      ready = 312;
    }
    nodes.Kind(Work::kOp, "c10d::allreduce_");
    const std::int64_t reduce = nodes.Add(1, kBase + ready * kUs, 10 * kUs, 0, 4);
    nodes.Edge(reduce, job.Reduce(rank, 7, std::max<std::int64_t>(310, ready + 10), 400));
  }
  EXPECT_EQ(job.Roots(), "step 0: r1 12 = r1 sync 12\n");
}

// Of two peers one lacks the second product.
TEST(LateArrivals, WhatPeersDoNotHaveIsMoreWork) {
  HandMade job(2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    NodesForTest& nodes = job.nodes[rank];
    nodes.Step(0, kBase, kBase + 600 * kUs);
    job.Reduce(rank, 7, 0, 10);
    nodes.Kind(Work::kCompute, "gemm", "[[8,8]]");
    const std::int64_t gemm = rank == 1 ? 200 : 100;
    nodes.Add(7, kBase + 10 * kUs, 100 * kUs, 0, 1);
    if (rank == 1) nodes.Add(7, kBase + 110 * kUs, 100 * kUs, 0, 2);
    job.Reduce(rank, 7, 10 + gemm, 300);
  }
  EXPECT_EQ(job.Roots(), "step 0: r1 100 = r1 more work 100\n");
}

// Collectives that nothing waits for: the ways back to where a host was late grow without end.
TEST(LateArrivals, WaysHaveAnEnd) {
  constexpr std::int64_t kCount = 1100;
  HandMade job(2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    NodesForTest& nodes = job.nodes[rank];
    const std::int64_t late = rank == 1 ? 5 : 0;
    nodes.Step(0, kBase, kBase + 20'000 * kUs);
    for (std::int64_t i = 0; i < kCount; ++i) {
      nodes.Kind(Work::kOp, "c10d::allreduce_");
      const std::int64_t begin = 10 * i + (i == 0 ? 0 : late);
      const std::int64_t op =
          nodes.Add(1, kBase + begin * kUs, (i == 0 ? 10 + late : 10) * kUs, 0, i);
      const std::int64_t called = 10 * (i + 1) + late;
      nodes.Edge(op, job.Reduce(rank, 100 + i, called, 10 * (i + 1) + 7));
    }
  }
  const std::string roots = job.Roots();
  const auto count = [&](std::string_view text) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = roots.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("r1 host 5\n"), LateArrivals::kMostPieces / 2);
  EXPECT_EQ(count("r1 unexplained 5\n"), kCount - LateArrivals::kMostPieces / 2);
}

}  // namespace
}  // namespace rankscope
