#include "sim/model/network.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kMB = 1'000'000;

TEST(Network, ARingPaysItsHopsAndItsTraffic) {
  // 8 members of one host: 9 us to start, 7/8 of the buffer per phase at 180 GB/s, 8 hops of 0.7
  // us.
  EXPECT_EQ(TransferOf(Exchange::kAllGather, 180 * kMB, {8, 1}).ns, 9000 + 8 * 700 + 875'000);
  EXPECT_EQ(TransferOf(Exchange::kReduceScatter, 180 * kMB, {8, 1}).ns,
            TransferOf(Exchange::kAllGather, 180 * kMB, {8, 1}).ns);
  const Transfer all_reduce = TransferOf(Exchange::kAllReduce, 180 * kMB, {8, 1});
  EXPECT_EQ(all_reduce.algorithm, Algorithm::kRing);
  EXPECT_EQ(all_reduce.ns, 9000 + 2 * (8 * 700 + 875'000));
}

TEST(Network, SmallAllReducesOfManyHostsTakeTheTree) {
  const Transfer tree = TransferOf(Exchange::kAllReduce, 8, {1024, 128});
  EXPECT_EQ(tree.algorithm, Algorithm::kTree);
  EXPECT_EQ(tree.ns, 9000 + 2 * (7 * 700 + 7 * 2500));
  EXPECT_EQ(TransferOf(Exchange::kAllReduce, 10'000 * kMB, {1024, 128}).algorithm,
            Algorithm::kRing);
}

TEST(Network, FartherIsSlower) {
  for (const Exchange exchange :
       {Exchange::kAllReduce, Exchange::kAllGather, Exchange::kReduceScatter, Exchange::kAllToAll,
        Exchange::kBroadcast, Exchange::kSendReceive}) {
    EXPECT_GT(TransferOf(exchange, 10 * kMB, {2, 2}).ns, TransferOf(exchange, 10 * kMB, {2, 1}).ns);
    EXPECT_GT(TransferOf(exchange, 20 * kMB, {2, 2}).ns, TransferOf(exchange, 10 * kMB, {2, 2}).ns);
  }
}

}  // namespace
}  // namespace rankscope::sim
