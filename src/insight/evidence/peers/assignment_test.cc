#include "insight/evidence/peers/assignment.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/evidence/peers/pipeline_stages.h"
#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"
#include "insight/rule_input_for_test.h"
#include "insight/rules/pipeline_for_test.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 90 against 30: of 50, 30 and 10 the 30 leave 60 and 60, the 50 would leave 80, the 10 would leave
// 80. Then nothing makes 60 less.
TEST(MovesToEven, ThePieceThatLeavesBothWithLeast) {
  std::vector<double> loads = {90, 30};
  const std::vector<PieceMove> moves =
      MovesToEven({{0, 50, "a"}, {0, 30, "b"}, {0, 10, "c"}, {1, 30, "d"}}, loads);
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].piece, 1U);
  EXPECT_EQ(moves[0].from, 0U);
  EXPECT_EQ(moves[0].to, 1U);
  EXPECT_THAT(loads, ElementsAre(60, 60));
}

// From 40, 10, 10 by tens: one to each of the others.
TEST(MovesToEven, ToWhoeverHasLeast) {
  std::vector<double> loads = {40, 10, 10};
  const std::vector<MovablePiece> pieces(4, {0, 10, "layer"});
  const std::vector<PieceMove> moves = MovesToEven(pieces, loads);
  ASSERT_EQ(moves.size(), 2U);
  EXPECT_NE(moves[0].to, moves[1].to);
  EXPECT_THAT(loads, ElementsAre(20, 20, 20));
}

// A whole piece would only change who has most; what is not in pieces stays.
TEST(MovesToEven, NothingWhereNoMoveHelps) {
  std::vector<double> loads = {90, 30};
  EXPECT_THAT(MovesToEven({{0, 90, "a"}}, loads), IsEmpty());
  EXPECT_THAT(MovesToEven({{1, 30, "a"}}, loads), IsEmpty());
  EXPECT_THAT(MovesToEven({{0, 0.5, "less than a hundredth"}}, loads), IsEmpty());
  EXPECT_THAT(loads, ElementsAre(90, 30));
  std::vector<double> none;
  EXPECT_THAT(MovesToEven({}, none), IsEmpty());
}

// Lookups in one kernel: rank 1 takes 900 us and the three others 300, so 450 each. The step of
// 1270 us, which is rank 1's, takes 820 then.
TEST(AssignTables, OneKernelOfAllTablesIsSpread) {
  JobPlan plan;
  plan.op_name = "aten::embedding_bag";
  plan.step = [](int rank, int) {
    return RankStep{.product = rank == 1 ? 900 : 300,
                    .shapes = rank == 1 ? "[[3000,64],[64]]" : "[[1000,64],[64]]"};
  };
  EXPECT_THAT(Rows(FindingsOf(plan), {"recommendation"}),
              HasSubstr("Proposed, and replayed: 450 us of the 900 us of rank 1 spread over the "
                        "others; a step takes 820 us then, 35.4% less."));
}

// Rank 0 has tables of 300, 200 and 100 us, rank 1 one of 200: with the second on rank 1 both have
// 400 of 800, and a step takes 200 less.
TEST(AssignTables, TablesWithKernelsOfTheirOwnAreNamed) {
  const auto table = [](Program& of, int rows, int us) {
    of.Op("aten::embedding_bag", "embedding_bag_kernel", us, fmt::format("[[{},64],[512]]", rows));
  };
  // The others wait 400 us for rank 0.
  const auto rest = [](Program& of, int waits) {
    of.Products(4);
    of.Collective("allreduce", 1 << 20, 20 + waits);
  };
  const auto full = [=](Program& of, int) {
    table(of, 3000, 300);
    table(of, 2000, 200);
    table(of, 1000, 100);
    rest(of, 0);
  };
  const auto light = [=](Program& of, int) {
    table(of, 2500, 200);
    rest(of, 400);
  };
  const Told told = TellOfRanks({full, light, light}, 8);
  EXPECT_THAT(told.ids, HasSubstr("sharding-imbalance"));
  EXPECT_THAT(told.change,
              HasSubstr("Proposed, and replayed: table [2000,64] (200 us) of rank 0 to "
                        "rank 1; a step takes "));
  EXPECT_THAT(told.change, EndsWith(fmt::format("{:.1f}% less.", 100 * 200 / told.mean_step)));
}

// Stage 1 has three layers, of 300 us a micro-batch each, and stage 0 one: two each. So passes of
// stage 0 take twice what they do, those of stage 1 two thirds; what stages send stays.
TEST(AssignLayers, PassesTakeTheTimeOfTheirLayers) {
  LookAt(JobOf(Schedule(8, 1, 3)), PipelineStageImbalanceRule().tables, [](const RuleInput& input) {
    const auto proposal = AssignLayers(input);
    ASSERT_TRUE(proposal.has_value());
    EXPECT_EQ(proposal->what, "1 layer of stage 1 to stage 0");
    const JobGraph& graph = input.graph();
    int passes = 0, sends = 0;
    input.ForEach([&](NodeId node, const NodeKind& kind) {
      const double now = static_cast<double>(graph.nodes().DurationOf(node));
      const auto then = static_cast<double>(proposal->then.DurationOf(node));
      if (kind.work == Work::kCompute) {
        EXPECT_NEAR(then, now * (input.RankOf(node) == 0 ? 2.0 : 2.0 / 3), 1);
        ++passes;
      }
      if (kind.work == Work::kCommunication && !IsExchangeOfLayers(graph, node)) {
        EXPECT_EQ(then, now);
        ++sends;
      }
    });
    EXPECT_GT(passes, 0);
    EXPECT_GT(sends, 0);
  });
}

}  // namespace
}  // namespace rankscope
