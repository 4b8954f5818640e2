// graph-breaks: compiled code is entered several times a step.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Told Parts(int parts, std::int64_t between, std::int64_t lookup = 60) {
  const Body body = [=](Program& of, int) {
    for (int part = 0; part < parts; ++part) {
      of.HostOp("TorchDynamo Cache Lookup", lookup);
      of.Product();
      of.Frame("torch_dynamo_resume_in_forward_at_84", [&] { of.Idles(between); });
    }
  };
  return TellOf(body);
}

TEST(GraphBreaks, SeveralPartsAStep) {
  const Told told = Parts(6, 400);
  EXPECT_EQ(told.first(), "graph-breaks");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_GT(told.gain, 50);
}

TEST(GraphBreaks, LayersThatWereCompiledOneByOneAreNone) {
  const Body body = [](Program& of, int) {
    for (int layer = 0; layer < 6; ++layer) {
      of.HostOp("TorchDynamo Cache Lookup", 300);
      of.Product();
    }
  };
  EXPECT_FALSE(TellOf(body).Has("graph-breaks"));
}

TEST(GraphBreaks, OnePartIsAWholeGraph) { EXPECT_FALSE(Parts(1, 1500).Has("graph-breaks")); }

TEST(GraphBreaks, PartsThatFollowAtOnceCostNothing) {
  EXPECT_FALSE(Parts(4, 0, 2).Has("graph-breaks"));
}

}  // namespace
}  // namespace rankscope
