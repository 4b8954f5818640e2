#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "analysis/across/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

using CollectivesCollective = TraceForTest::Collective;

constexpr CollectivesCollective kCollectivesReduce{.name = "allreduce", .in = 1000, .out = 1000};

// A rank whose clock is ahead by `ahead` ns, with all-reduces of (begin, end) in us of true time.
RankTrace RankAt(std::int64_t ahead, const std::vector<std::pair<int, int>>& spans,
                 const CollectivesCollective& collective = kCollectivesReduce) {
  TraceForTest trace;
  for (const auto& [begin, end] : spans)
    trace.Comm(20, 1000 * begin + ahead, 1000 * (end - begin), collective);
  return trace.Build(1'000'000);
}

// Three all-reduces end together at 100, 200 and 300; rank 1 comes last to the first and the third.
JobForTest TwoRanks(std::int64_t ahead) {
  JobForTest job;
  job.Add(0, RankAt(0, {{40, 100}, {190, 200}, {210, 300}}));
  job.Add(1, RankAt(ahead, {{90, 100}, {150, 200}, {290, 300}}));
  return job;
}

// gloo: a thread of the host waits until the tensor has been copied, and then exchanges. Threads
// take up what is queued two at a time, in any order: the call that queued it tells the order.
RankTrace RankOfGloo(int copied, bool swapped) {
  const auto us = [](int t) { return std::int64_t{1000} * t; };
  const auto gloo = [&](TraceForTest& trace, int thread, int begin, int end, const char* dims) {
    trace.Op(thread, "gloo:all_reduce", us(begin), us(end - begin), dims, R"(["float"])");
  };
  TraceForTest trace;
  trace.Op(1, "c10d::allreduce_", us(1), us(2), "[[[1000]], [], []]", R"(["TensorList"])")
      .Op(1, "c10d::allreduce_", us(4), us(2), "[[[50]], [], []]", R"(["TensorList"])");
  gloo(trace, 2, swapped ? 11 : 10, 100, "[[1000]]");
  trace.Host(2, EventKind::kRuntime, "cudaStreamSynchronize", us(12), us(copied - 12));
  gloo(trace, 3, swapped ? 10 : 11, 100, "[[50]]");
  trace.Host(3, EventKind::kRuntime, "cudaStreamSynchronize", us(12), us(copied - 12))
      .Host(3, EventKind::kRuntime, "cudaMemcpyAsync", us(99), us(1));
  return trace.Build(1'000'000);
}

TEST(Collectives, OfGloo) {
  JobForTest job;
  job.Add(0, RankOfGloo(20, false));
  job.Add(1, RankOfGloo(90, true));
  EXPECT_EQ(
      Rows(job.Run(CollectivesAnalysis()), {"ordinal", "op", "bytes", "members", "agrees",
                                            "skew_ns", "last_rank", "wait_ns", "transfer_ns"}),
      "0,all_reduce,4000,2,true,70000,1,70000,10000\n"
      "1,all_reduce,200,2,true,70000,1,70000,9000\n");
}

TEST(Collectives, WhoWaitsForWhom) {
  for (const std::int64_t ahead : {0, 5000, -700}) {
    const JobForTest job = TwoRanks(ahead);
    EXPECT_EQ(Rows(job.Run(ClocksAnalysis()),
                   {"rank", "aligned", "reference_rank", "offset_ns", "drift_ppm", "uncertainty_ns",
                    "collectives", "violations"}),
              "0,true,0,0,0,2000,3,0\n1,true,0," + std::to_string(ahead) + ",,2000,3,0\n");
    // 4000 bytes in 10 us, and as much on the bus.
    EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()),
                   {"group", "ordinal", "op", "dtype", "bytes", "members", "missing", "agrees",
                    "skew_ns", "last_rank", "lead_ns", "wait_ns", "transfer_ns", "bus_bandwidth"}),
              "0,0,all_reduce,Float,4000,2,0,true,50000,1,50000,50000,10000,400000000\n"
              "0,1,all_reduce,Float,4000,2,0,true,40000,0,40000,40000,10000,400000000\n"
              "0,2,all_reduce,Float,4000,2,0,true,80000,1,80000,80000,10000,400000000\n");
    EXPECT_EQ(Rows(job.Run(CollectiveMembersAnalysis()),
                   {"ordinal", "rank", "duration_ns", "wait_ns", "transfer_ns", "is_last"}),
              "0,0,60000,50000,10000,false\n0,1,10000,0,10000,true\n"
              "1,0,10000,0,10000,true\n1,1,50000,40000,10000,false\n"
              "2,0,90000,80000,10000,false\n2,1,10000,0,10000,true\n");
    EXPECT_EQ(Rows(job.Run(CollectiveRanksAnalysis()),
                   {"rank", "collectives", "device_ns", "wait_ns", "transfer_ns", "last_count",
                    "lead_ns", "caused_wait_ns", "unmatched"}),
              "0,3,160000,130000,30000,1,40000,40000,0\n"
              "1,3,70000,40000,30000,2,130000,130000,0\n");
    EXPECT_EQ(Rows(job.Run(CollectiveSizesAnalysis()),
                   {"groups", "op", "bytes", "count", "incomplete", "device_ns", "wait_pct",
                    "median_skew_ns", "median_transfer_ns", "outliers"}),
              "group (2 ranks),all_reduce,4000,3,0,230000,73.91304347826087,50000,10000,0\n");
    EXPECT_EQ(Rows(job.Run(ExposedCommunicationAnalysis()),
                   {"rank", "exposed_ns", "transfer_ns", "wait_ns", "unknown_ns"}),
              "0,160000,30000,130000,0\n1,70000,30000,40000,0\n");
  }
}

// Rank 1 comes 1.5 us before rank 0, then 3 us behind it: 2 us is what ends cannot show, so that
// nobody is last to the first. Both share what a third rank waits for then.
TEST(Collectives, Ties) {
  const auto rank = [](std::int64_t first, std::int64_t second) {
    return TraceForTest()
        .Comm(20, first, 100'000 - first, kCollectivesReduce)
        .Comm(20, second, 300'000 - second, kCollectivesReduce)
        .Build();
  };
  JobForTest job;
  job.Add(0, rank(51'500, 250'000)).Add(1, rank(50'000, 253'000)).Add(2, rank(20'000, 200'000));
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"ordinal", "skew_ns", "last_rank", "lead_ns"}),
            "0,31500,,\n1,53000,1,3000\n");
  EXPECT_EQ(Rows(job.Run(CollectiveMembersAnalysis()), {"ordinal", "rank", "wait_ns", "is_last"}),
            "0,0,0,false\n0,1,1500,false\n0,2,31500,false\n"
            "1,0,3000,false\n1,1,0,true\n1,2,53000,false\n");
  EXPECT_EQ(
      Rows(job.Run(CollectiveRanksAnalysis()), {"rank", "last_count", "lead_ns", "caused_wait_ns"}),
      "0,0,0,16500\n1,1,3000,72500\n2,0,0,0\n");
  EXPECT_EQ(Rows(job.Run(CollectiveTimelineAnalysis()), {"rank", "ordinal", "is_last", "lead_ns"}),
            "0,0,false,\n0,1,false,\n1,0,false,\n1,1,true,3000\n2,0,false,\n2,1,false,\n");
}

// What computes at the same time hides it.
TEST(Collectives, ExposedOnly) {
  TraceForTest first;
  first.Comm(20, 0, 100, kCollectivesReduce).Kernel(7, "gemm", 0, 70).Kernel(7, "gemm", 95, 5);
  TraceForTest second;
  second.Comm(20, 80, 20, kCollectivesReduce);
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build());
  // Rank 0 waits until 80, of which 70 to 80 are exposed; 80 to 95 is transfer.
  EXPECT_EQ(Rows(job.Run(ExposedCommunicationAnalysis()),
                 {"rank", "exposed_ns", "transfer_ns", "wait_ns", "unknown_ns"}),
            "0,25,15,10,0\n1,20,20,0,0\n");
}

// Of a group of three: behind the last one that was recorded both may wait for the third.
TEST(Collectives, RanksThatWereNotRecorded) {
  constexpr CollectivesCollective kOfThree{
      .name = "allreduce", .in = 1000, .out = 1000, .ranks = "[0, 1, 2]", .size = 3};
  JobForTest job;
  job.Add(0, TraceForTest().Comm(20, 0, 100'000, kOfThree).Build());
  job.Add(1, TraceForTest().Comm(20, 60'000, 40'000, kOfThree).Build());
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"members", "missing", "transfer_ns"}),
            "2,1,40000\n");
  EXPECT_EQ(Rows(job.Run(CollectiveMembersAnalysis()), {"rank", "wait_ns", "transfer_ns"}),
            "0,60000,\n1,0,\n");
  EXPECT_EQ(Rows(job.Run(ExposedCommunicationAnalysis()),
                 {"rank", "exposed_ns", "transfer_ns", "wait_ns", "unknown_ns"}),
            "0,100000,0,60000,40000\n1,40000,0,0,40000\n");
}

// A rank that began to record later has the collectives of another size to tell where it stands.
TEST(Collectives, RecordingsThatBeginLater) {
  TraceForTest whole;
  TraceForTest late;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t elements = i % 3 == 0 ? 500 : 100;
    const CollectivesCollective collective{.name = "allreduce", .in = elements, .out = elements};
    whole.Comm(20, 100 * i, 50, collective);
    if (i >= 2) late.Comm(20, 100 * i + 20, 30, collective);
  }
  JobForTest job;
  job.Add(0, whole.Build()).Add(1, late.Build());
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"ordinal", "members", "missing", "agrees"}),
            "0,1,1,true\n1,1,1,true\n2,2,0,true\n3,2,0,true\n4,2,0,true\n5,2,0,true\n");
  EXPECT_EQ(Rows(job.Run(CollectiveRanksAnalysis()), {"rank", "collectives", "unmatched"}),
            "0,4,2\n1,4,0\n");
}

// Sequence numbers say it without sizes: one collective was lost in the middle.
TEST(Collectives, SequenceNumbers) {
  TraceForTest whole;
  TraceForTest gap;
  for (int i = 0; i < 4; ++i) {
    CollectivesCollective collective = kCollectivesReduce;
    collective.sequence = 10 + i;
    whole.Comm(20, 100 * i, 50, collective);
    if (i != 1) gap.Comm(20, 100 * i, 50, collective);
  }
  JobForTest job;
  job.Add(0, whole.Build()).Add(1, gap.Build());
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"ordinal", "members", "missing"}),
            "0,2,0\n1,1,1\n2,2,0\n3,2,0\n");
}

// Collectives that are launched as one have one number: of two with number 11 the second rank lost
// the first, which is larger.
TEST(Collectives, SequenceNumbersThatComeTwice) {
  TraceForTest whole;
  TraceForTest gap;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t elements = i % 2 == 0 ? 500 : 100;
    CollectivesCollective collective{.name = "allreduce", .in = elements, .out = elements};
    collective.sequence = 10 + i / 2;
    whole.Comm(20, 100 * i, 50, collective);
    if (i != 2) gap.Comm(20, 100 * i, 50, collective);
  }
  JobForTest job;
  job.Add(0, whole.Build()).Add(1, gap.Build());
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"ordinal", "members", "agrees"}),
            "0,2,true\n1,2,true\n2,1,true\n3,2,true\n4,2,true\n5,2,true\n");
}

// Rank 1 batched sends in the same group, which counted: its numbers are not those of rank 0. Steps
// say which are the same; where these are others, too, the recordings are.
TEST(Collectives, SequenceNumbersThatEachRankCountsForItself) {
  for (const std::int64_t first_step : {0, 7}) {
    JobForTest job;
    for (const std::int64_t rank : {0, 1}) {
      TraceForTest trace;
      const std::int64_t origin = rank == 0 ? 0 : 1000 * first_step;
      for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t begin = origin + 1000 * i;
        trace.Step(rank == 0 ? i : first_step + i, begin, 1000);
        CollectivesCollective collective = kCollectivesReduce;
        collective.sequence = static_cast<std::int32_t>(100 + (rank == 0 ? i : 7 * i + 3));
        trace.Launch(i + 1, begin + 10, 5).Comm(20, begin + 20, 50, collective).Linked(i + 1);
      }
      job.Add(rank, trace.Build());
    }
    EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"members"}),
              first_step == 0 ? "2\n2\n2\n2\n" : "1\n1\n1\n2\n1\n1\n1\n");
  }
}

TEST(Collectives, WhatDoesNotAgreeIsNotJudged) {
  JobForTest job;
  job.Add(0, RankAt(0, {{0, 50}}));
  job.Add(1, RankAt(0, {{10, 50}}, {.name = "allreduce", .in = 7, .out = 7}));
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"members", "agrees", "bytes", "wait_ns"}),
            "2,false,,\n");
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"rank", "aligned", "offset_ns"}),
            "0,false,\n1,false,\n");
  EXPECT_EQ(Rows(job.Run(ExposedCommunicationAnalysis()), {"exposed_ns", "unknown_ns"}),
            "50000,50000\n40000,40000\n");
}

// New weights go from trainers to generators, which nothing else links, in pieces: all are done
// nearly together. Of small ones the first may be done before the others begin.
TEST(Collectives, LargeBroadcastsLinkClocks) {
  const auto job = [](std::int64_t values) {
    JobForTest made;
    for (const std::int64_t rank : {0, 1}) {
      TraceForTest trace;
      for (int i = 0; i < 3; ++i)
        trace.Comm(20, 1'000'000 * i + 500'000 * rank, 100'000,
                   {.name = "broadcast", .in = values, .out = values});
      made.Add(rank, trace.Build());
    }
    return Rows(made.Run(ClocksAnalysis()), {"rank", "aligned", "offset_ns"});
  };
  EXPECT_EQ(job(32 << 20), "0,true,0\n1,true,500000\n");
  EXPECT_EQ(job(1 << 20), "0,false,\n1,false,\n");
}

// All of one size, and as many on both ranks: rank 1 lost its first and has one more at the end.
TEST(Collectives, OneLostFirstAndOneMoreLast) {
  const int ends[] = {100, 900, 1300, 2900, 3500, 4400, 5000};
  TraceForTest first;
  TraceForTest second;
  for (int i = 0; i < 7; ++i) {
    if (i < 6) first.Comm(20, 1000 * ends[i] - 50'000, 50'000, kCollectivesReduce);
    if (i > 0) second.Comm(20, 1000 * ends[i] - 10'000, 10'000, kCollectivesReduce);
  }
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build());
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"ordinal", "members", "missing", "last_rank"}),
            "0,1,1,\n1,2,0,1\n2,2,0,1\n3,2,0,1\n4,2,0,1\n5,2,0,1\n6,1,1,\n");
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"rank", "offset_ns", "uncertainty_ns"}),
            "0,0,2000\n1,0,2000\n");
}

// Even intervals, a clock that is off by two of them: marks of steps say which are the same.
TEST(Collectives, StepsSayWhichWereLost) {
  const auto rank = [](std::int64_t ahead, int lost, int steps) {
    TraceForTest trace;
    for (int step = 0; step < steps; ++step) {
      trace.Step(step, 1'000'000 * step + ahead, 1'000'000);
      for (int i = 0; i < 4; ++i) {
        if (step == 0 && i < lost) continue;
        const std::int64_t begin = 1'000'000 * step + 250'000 * i + 10'000 + ahead;
        const std::int64_t call = 10 * step + i + 1;
        trace.Launch(call, begin - 5000, 1000)
            .Comm(20, begin, 50'000, kCollectivesReduce)
            .Linked(call);
      }
    }
    return trace.Build();
  };
  JobForTest job;
  job.Add(0, rank(0, 0, 3)).Add(1, rank(500'000, 2, 3));
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"ordinal", "step", "members", "skew_ns"}),
            "0,0,1,\n1,0,1,\n2,0,2,0\n3,0,2,0\n4,1,2,0\n5,1,2,0\n6,1,2,0\n7,1,2,0\n8,2,2,0\n"
            "9,2,2,0\n10,2,2,0\n11,2,2,0\n");
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"rank", "offset_ns"}), "0,0\n1,500000\n");
}

// Kernels that send and receive in one say nothing of whom they meet.
TEST(Collectives, SendsWithoutPeersMeetNobody) {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    job.Add(rank, TraceForTest()
                      .Kernel(20, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 0, 50)
                      .Kernel(20, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 90, 5)
                      .Build());
  }
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"op", "members", "agrees"}),
            "send_receive,1,false\nsend_receive,1,false\nsend_receive,1,false\n"
            "send_receive,1,false\n");
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"rank", "aligned"}), "0,false\n1,false\n");
}

// Groups of the same name and members are one; a rank without its trace is missing.
TEST(Collectives, GroupsAndMissingRanks) {
  JobForTest job;
  const CollectivesCollective tensor{.name = "_allgather_base",
                                     .in = 10,
                                     .out = 40,
                                     .dtype = "BFloat16",
                                     .group = "3",
                                     .ranks = "[0, 1, 2, 3]",
                                     .size = 4,
                                     .description = "mesh_tp"};
  for (const std::int64_t rank : {0, 1, 3}) job.Add(rank, RankAt(0, {{0, 50}, {60, 90}}, tensor));
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()),
                 {"group", "description", "op", "bytes", "members", "missing"}),
            "3,mesh_tp,all_gather,80,3,1\n3,mesh_tp,all_gather,80,3,1\n");
  EXPECT_EQ(Rows(job.Run(CollectiveSizesAnalysis()), {"groups", "group_count", "incomplete"}),
            "mesh_tp (4 ranks),1,2\n");
}

// The link of sends and receives needs a clock, which an all-reduce gives. The first receive begins
// 30 before its send, the second send 10 before its receive.
TEST(Collectives, PointToPoint) {
  CollectivesCollective send{.name = "send", .in = 250, .peer = 1};
  CollectivesCollective receive{.name = "recv", .in = 250, .peer = 0};
  TraceForTest first;
  first.Comm(20, 0, 10, kCollectivesReduce).Comm(21, 50, 20, send).Comm(21, 100, 40, send);
  TraceForTest second;
  second.Comm(20, 5, 5, kCollectivesReduce).Comm(21, 20, 50, receive).Comm(21, 110, 30, receive);
  second.Comm(21, 200, 5, receive);  // its send is not recorded
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build());
  EXPECT_EQ(Rows(job.Run(PointToPointAnalysis()),
                 {"source_rank", "destination_rank", "bytes", "count", "send_ns", "receive_ns",
                  "receiver_waits_ns", "sender_waits_ns", "median_transfer_ns", "bandwidth"}),
            "0,1,1000,2,60,80,30,10,25,40000000000\n");
}

// Two stages. Rank 1 receives from 20 on what is sent at 50, and computes from 90 to 110: of
// [20, 70) it waits 30 and transfers 20. A message whose send is not recorded may be either.
TEST(Collectives, MessagesWaitToo) {
  TraceForTest first;
  first.Comm(20, 0, 10, kCollectivesReduce)
      .Comm(21, 50, 20, {.name = "send", .in = 250, .peer = 1});
  TraceForTest second;
  second.Comm(20, 5, 5, kCollectivesReduce)
      .Comm(21, 20, 50, {.name = "recv", .in = 250, .peer = 0});
  second.Kernel(7, "gemm", 90, 20).Comm(21, 100, 40, {.name = "recv", .in = 250, .peer = 2});
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build());
  EXPECT_EQ(Rows(job.Run(PointToPointMembersAnalysis()),
                 {"source_rank", "destination_rank", "rank", "op", "start_ns", "duration_ns",
                  "wait_ns", "transfer_ns", "message"}),
            "0,1,0,send,50,20,0,20,0\n0,1,1,recv,20,50,30,20,0\n");
  EXPECT_EQ(Rows(job.Run(ExposedCommunicationAnalysis()),
                 {"rank", "step", "exposed_ns", "transfer_ns", "wait_ns", "unknown_ns"}),
            "0,,30,25,5,0\n1,,85,25,30,30\n");
  // Of 70 ns that rank 0's device was seen, 30 are exposed; of 135 of rank 1's, 85.
  EXPECT_EQ(Rows(job.Run(ExposedByRankAnalysis()),
                 {"rank", "exposed_ns", "wait_ns", "transfer_ns", "unknown_ns"}),
            "0,30,5,25,0\n1,85,30,25,30\n,115,35,50,30\n");
}

// Clocks that sends alone link leave 2 us open here: too much to divide a kernel of 50 us, and
// little enough for one of 200 us.
TEST(Collectives, WaitsByClocksOfSends) {
  TraceForTest first;
  TraceForTest second;
  for (std::int64_t begin = 0; begin < 4'000'000; begin += 1'000'000) {
    first.Comm(21, begin + 100'000, 50'000, {.name = "send", .in = 250, .peer = 1})
        .Comm(21, begin + 200'000, 200'000, {.name = "recv", .in = 250, .peer = 1});
    second.Comm(21, begin + 100'000, 50'000, {.name = "recv", .in = 250, .peer = 0})
        .Comm(21, begin + 380'000, 20'000, {.name = "send", .in = 250, .peer = 0});
  }
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build());
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"linked_by", "uncertainty_ns"}),
            "sends,2000\nsends,2000\n");
  EXPECT_EQ(Rows(job.Run(ExposedCommunicationAnalysis()),
                 {"rank", "exposed_ns", "transfer_ns", "wait_ns", "unknown_ns"}),
            "0,1000000,80000,720000,200000\n1,280000,80000,0,200000\n");
}

// A receive that is over 20 us before its send begins: clocks or pairs are wrong.
TEST(Collectives, ReceivesBeforeTheirSends) {
  TraceForTest first;
  first.Comm(20, 0, 10'000, kCollectivesReduce)
      .Comm(21, 50'000, 20, {.name = "send", .in = 250, .peer = 1});
  TraceForTest second;
  second.Comm(20, 5000, 5000, kCollectivesReduce)
      .Comm(21, 20'000, 10, {.name = "recv", .in = 250, .peer = 0});
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build());
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"rank", "aligned", "violations", "send_violations"}),
            "0,true,0,1\n1,true,0,1\n");
}

// Two stages that share no collective, stage 1's clock 1 s ahead. A send at 100 us is received by
// 140, one back at 300 by 350: stage 1 is ahead by 1 s, at most 40 us more, and at most 50 less.
TEST(Collectives, ClocksLinkedBySends) {
  const std::int64_t ahead = 1'000'000'000;
  TraceForTest first;
  first.Comm(21, 100'000, 40'000, {.name = "send", .in = 250, .peer = 1})
      .Comm(21, 200'000, 150'000, {.name = "recv", .in = 250, .peer = 1});
  TraceForTest second;
  second.Comm(21, ahead, 140'000, {.name = "recv", .in = 250, .peer = 0})
      .Comm(21, ahead + 300'000, 50'000, {.name = "send", .in = 250, .peer = 0});
  TraceForTest third;
  third.Comm(21, 0, 10, {.name = "recv", .in = 250, .peer = 0});
  JobForTest job;
  job.Add(0, first.Build()).Add(1, second.Build()).Add(2, third.Build());
  EXPECT_EQ(
      Rows(job.Run(ClocksAnalysis()), {"rank", "aligned", "reference_rank", "linked_by",
                                       "offset_ns", "drift_ppm", "uncertainty_ns", "collectives"}),
      "0,true,0,sends,0,0,2000,0\n1,true,0,sends,999995000,,47000,0\n2,false,,,,,,\n");
  // Within 45 us nobody is said to wait.
  EXPECT_EQ(Rows(job.Run(PointToPointAnalysis()), {"source_rank", "receiver_waits_ns"}),
            "0,\n1,\n");
}

// Traces before PyTorch 2.1: the op around the launch says what it is, its input how much.
TEST(Collectives, WithoutMetadata) {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    trace.Op(1, "c10d::alltoall_base_", 0, 20, "[[64],[64],[],[]]", R"(["float","float","",""])")
        .Launch(1, 5, 5)
        .Kernel(20, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", 30 + 10 * rank,
                30 - 10 * rank, 1)
        .Op(1, "record_param_comms", 100, 20, "[[],[]]")
        .Launch(2, 105, 5)
        .Kernel(20, "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", 130, 30, 2);
    job.Add(rank, trace.Build());
  }
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()),
                 {"group", "op", "dtype", "bytes", "members", "missing", "skew_ns"}),
            "stream 1,all_to_all,float,256,2,0,10\nstream 1,all_reduce,,,2,0,0\n");
  EXPECT_EQ(Rows(job.Run(CollectiveSizesAnalysis()), {"groups"}),
            "stream 1 (2 ranks)\nstream 1 (2 ranks)\n");
}

// Two streams without stated groups: it is not known which ranks either joins.
TEST(Collectives, SeveralStreamsWithoutMetadata) {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    trace.Kernel(20, "ncclKernel_AllReduce_RING", 30, 30)
        .Kernel(21, "ncclKernel_AllReduce_RING", 40, 30);
    job.Add(rank, trace.Build());
  }
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"group", "members", "missing", "agrees"}),
            "stream 1,1,0,false\nstream 1,1,0,false\nstream 2,1,0,false\nstream 2,1,0,false\n");
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"rank", "aligned"}), "0,false\n1,false\n");
  EXPECT_EQ(Rows(job.Run(CollectiveRanksAnalysis()), {"rank", "collectives", "unmatched"}),
            "0,0,2\n1,0,2\n");
}

// Clocks of two damaged traces, the whole range of time apart: nothing overflows.
TEST(Collectives, ClocksAtTheEndsOfTime) {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    const std::int64_t t = rank == 0 ? -(INT64_MAX / 2) : INT64_MAX / 2 - 1000;
    trace.Comm(20, t, 10, kCollectivesReduce)
        .Comm(20, t + 100, 10, kCollectivesReduce)
        .Comm(20, t + 300, 10, kCollectivesReduce);
    job.Add(rank, trace.Build(rank == 0 ? -(INT64_MAX / 2) : INT64_MAX / 2));
  }
  EXPECT_EQ(job.Run(CollectivesAnalysis()).row_count(), 3U);
  EXPECT_EQ(job.Run(ClocksAnalysis()).row_count(), 2U);
  EXPECT_EQ(job.Run(CollectiveRanksAnalysis()).row_count(), 2U);
  EXPECT_EQ(job.Run(ExposedCommunicationAnalysis()).row_count(), 2U);
}

TEST(Collectives, OneRankWaitsForNobody) {
  JobForTest job;
  job.Add(0, RankAt(0, {{0, 50}}));
  EXPECT_EQ(Rows(job.Run(CollectivesAnalysis()), {"members", "missing", "wait_ns"}), "1,1,\n");
  EXPECT_EQ(Rows(job.Run(ClocksAnalysis()), {"aligned", "offset_ns"}), "false,\n");
  JobForTest none;
  none.Add(0, TraceForTest().Kernel(7, "gemm", 0, 5).Build());
  EXPECT_EQ(none.Run(CollectivesAnalysis()).row_count(), 0U);
  EXPECT_EQ(none.Run(ExposedCommunicationAnalysis()).row_count(), 0U);
}

// Three sizes on a line: 10 ns and 1 ns per byte on the bus (all-reduce of two: as many as in the
// buffer).
TEST(Collectives, LatencyAndBandwidth) {
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    std::int64_t t = 0;
    for (const std::int64_t elements : {10, 20, 50}) {
      trace.Comm(20, t, 10 + 4 * elements, {.name = "allreduce", .in = elements, .out = elements});
      t += 1000;
    }
    job.Add(rank, trace.Build());
  }
  EXPECT_EQ(Rows(job.Run(CollectiveSizesAnalysis()),
                 {"bytes", "median_transfer_ns", "fit_latency_ns", "fit_bus_bandwidth"}),
            "200,210,10,1000000000\n80,90,10,1000000000\n40,50,10,1000000000\n");
}

// An all-reduce of two that carries 4000 bytes in 40 ns, 100 GB/s, between two devices of a host.
TEST(Collectives, LinkPeaks) {
  struct Case {
    std::string hosts[2], devices[2], given, peak_and_share;
  };
  const std::string a100 = "NVIDIA A100-SXM4-40GB";
  const Case cases[] = {
      {{"a", "a"}, {a100, a100}, "", "300000000000,33.333333333333336"},
      // What is known of one host counts, whatever is stated for the others.
      {{"a", "a"}, {a100, a100}, "50", "300000000000,33.333333333333336"},
      {{"a", "b"}, {a100, a100}, "", ","},
      {{"a", "b"}, {a100, a100}, "200", "200000000000,50"},
      {{"", ""}, {a100, a100}, "", ","},
      {{"a", "a"}, {a100, "NVIDIA A100-PCIE-40GB"}, "", ","},
      {{"a", "a"}, {"NVIDIA L4", "NVIDIA L4"}, "12.5", "12500000000,800"},
  };
  for (const Case& one : cases) {
    JobForTest job;
    for (const std::int64_t rank : {0, 1}) {
      job.Add(rank, TraceForTest()
                        .Comm(20, 0, 40, kCollectivesReduce)
                        .DeviceName(0, one.devices[rank])
                        .Build())
          .OnHost(one.hosts[rank]);
    }
    EXPECT_EQ(Rows(job.Run(CollectiveSizesAnalysis(), {{"link", one.given}}),
                   {"bus_bandwidth", "link_peak", "link_pct"}),
              "100000000000," + one.peak_and_share + "\n");
  }
}

// The third member of the group was not recorded: where it ran is not known.
TEST(Collectives, LinkOfAGroupThatIsNotWhole) {
  CollectivesCollective three = kCollectivesReduce;
  three.ranks = "[0, 1, 2]";
  three.size = 3;
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    job.Add(rank, TraceForTest().Comm(20, 0, 40, three).DeviceName(0, "NVIDIA H200").Build())
        .OnHost("a");
  }
  EXPECT_EQ(Rows(job.Run(CollectiveSizesAnalysis()), {"link_peak"}), "\n");
}

TEST(Collectives, LinkIsANumber) {
  for (const std::string text : {"0", "-1", "nan", "inf", "1e999", "50GB", " 50", "x"})
    EXPECT_FALSE(CompleteOptions(CollectiveSizesAnalysis(), {{"link", text}}).ok()) << text;
  EXPECT_TRUE(CompleteOptions(CollectiveSizesAnalysis(), {{"link", "1e2"}}).ok());
}

// Two steps of two ranks that end with their all-reduces at 100 and 300 in true time, rank 1 with a
// kernel behind the last until 350.
RankTrace StepsAt(std::int64_t ahead, bool is_longer) {
  TraceForTest trace;
  trace.Step(1, ahead, 100).Step(2, 100 + ahead, 100);
  for (const auto& [launch, begin, end] :
       {std::tuple(1, 40, 100), std::tuple(2, 190, 200), std::tuple(3, 210, 300)}) {
    trace.Launch(launch, (launch == 1 ? 10 : 100 + 10 * launch) + ahead, 5);
    trace.Comm(20, begin + ahead, end - begin, kCollectivesReduce).Linked(launch);
  }
  if (is_longer) trace.Kernel(7, "gemm", 300 + ahead, 50, 3);
  return trace.Build(1'000'000);
}

TEST(JobSteps, EndWithTheLastRankByTheAlignedClock) {
  for (const std::int64_t ahead : {0, 5000, -700}) {
    JobForTest job;
    job.Add(0, StepsAt(0, false)).Add(1, StepsAt(ahead, true));
    EXPECT_EQ(
        Rows(job.Run(JobStepsAnalysis()), {"group", "step", "duration_ns", "ranks", "aligned"}),
        "0,1,100,2,true\n0,2,250,2,true\n")
        << ahead;
  }
}

TEST(JobSteps, WithoutOneClockTheMedianRankCounts) {
  const auto rank = [](std::int64_t length) {
    TraceForTest trace;
    trace.Step(1, 0, 500).Launch(1, 10, 5).Kernel(7, "gemm", 20, length, 1);
    return trace.Build(1'000'000);
  };
  JobForTest job;
  job.Add(0, rank(100)).Add(1, rank(200)).Add(2, rank(400));
  EXPECT_EQ(Rows(job.Run(JobStepsAnalysis()),
                 {"step", "start_ns", "duration_ns", "ranks", "aligned", "complete"}),
            "1,,220,3,false,true\n");
}

}  // namespace
}  // namespace rankscope
