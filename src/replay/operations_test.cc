#include "replay/operations.h"

#include <gmock/gmock.h>

#include <map>

#include "schemas/straggler.h"

namespace rankscope {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

struct OperationsRow {
  std::int64_t step = 0;
  std::int64_t dp_rank = 0;
  std::int64_t stage = 0;
  std::string_view optype;
  double start = 0;
  double end = 0;
  std::int64_t chunk = 0;
};

Table TableOf(std::initializer_list<OperationsRow> rows) {
  const auto& columns = SchemaOf<Operations>();
  auto table = columns.NewTable("operations");
  for (const OperationsRow& row : rows) {
    table.Add({columns.step = row.step, columns.dp_rank = row.dp_rank, columns.stage = row.stage,
               columns.optype = row.optype, columns.mc = row.chunk, columns.start_ts = row.start,
               columns.duration = row.end - row.start});
  }
  return table;
}

// "scope/key" -> slowdown.
std::map<std::string, double> Slowdowns(const Table& operations) {
  const Result<Table> replayed = ReplayStragglers(operations);
  EXPECT_TRUE(replayed.ok()) << replayed.status().message();
  std::map<std::string, double> slowdowns;
  if (!replayed.ok()) return slowdowns;
  const ViewOf<StragglerSlowdown> table = *replayed;
  const auto& columns = SchemaOf<StragglerSlowdown>();
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    std::string name(table.String(row, columns.scope));
    if (!table.IsNull(row, columns.key)) name += "/" + std::string(table.String(row, columns.key));
    slowdowns[name] = *table.Known(row, columns.slowdown);
  }
  return slowdowns;
}

std::string Refusal(const Table& operations) {
  const Result<Table> table = ReplayStragglers(operations);
  EXPECT_FALSE(table.ok());
  EXPECT_EQ(table.status().code(), StatusCode::kBadData);
  return table.ok() ? "" : table.status().message();
}

// Two ranks compute 1 s and 3 s, then reduce for 1 s: the fast one waits for 2 s, which is nobody's
// transfer. Evenly each computes 2 s.
TEST(ReplayStragglers, TheSlowRankDecides) {
  const auto slowdowns = Slowdowns(TableOf({{7, 0, 0, "forward-compute", 0, 1},
                                            {7, 0, 0, "grads-reduce-scatter", 1, 4},
                                            {7, 1, 0, "forward-compute", 0, 3},
                                            {7, 1, 0, "grads-reduce-scatter", 3, 4}}));
  EXPECT_EQ(slowdowns.size(), 7u);
  EXPECT_THAT(slowdowns.at("job"), DoubleNear(4.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("step/7"), DoubleNear(4.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("dp_rank/0"), DoubleNear(1, 1e-12));
  EXPECT_THAT(slowdowns.at("dp_rank/1"), DoubleNear(4.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("stage/0"), DoubleNear(4.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("optype/forward-compute"), DoubleNear(4.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("optype/grads-reduce-scatter"), DoubleNear(1, 1e-12));
}

// Two stages, two micro-batches, as 1F1B runs them. Stage 1 takes 2 s for a pass, stage 0 takes 1
// s; a transfer takes 0.5 s. By hand:
//   stage 0: F0 0-1, F1 1-2, B0 6-7, B1 10.5-11.5;  sends forward 1-1.5 and 2-3.5 (met at 3)
//   stage 1: F0 1.5-3.5, B0 3.5-5.5, F1 5.5-7.5, B1 7.5-9.5
// The second forward receive is posted when the first forward pass is done, at 3.5, so that its
// transfer ends at 4. Backward sends: 5.5-6, 9.5-10; B0 of stage 0 6-7, B1 10-11.
Table OneForwardOneBackward() {
  return TableOf({{0, 0, 0, "forward-compute", 0, 1},
                  {0, 0, 0, "forward-compute", 1, 2},
                  {0, 0, 0, "backward-compute", 6, 7},
                  {0, 0, 0, "backward-compute", 10, 11},
                  {0, 0, 0, "forward-send", 1, 1.5},
                  {0, 0, 0, "forward-send", 2, 4},
                  {0, 0, 0, "backward-recv", 2, 6},
                  {0, 0, 0, "backward-recv", 7, 10},
                  {0, 0, 1, "forward-recv", 0, 1.5},
                  {0, 0, 1, "forward-recv", 3.5, 4},
                  {0, 0, 1, "forward-compute", 1.5, 3.5},
                  {0, 0, 1, "backward-compute", 3.5, 5.5},
                  {0, 0, 1, "forward-compute", 5.5, 7.5},
                  {0, 0, 1, "backward-compute", 7.5, 9.5},
                  {0, 0, 1, "backward-send", 5.5, 6},
                  {0, 0, 1, "backward-send", 9.5, 10}});
}

// Evenly a pass takes 1.5 s:
//   stage 0: F0 0-1.5, F1 1.5-3, B0 5.5-7 (sent at 5 in 0.5 s), B1 8.5-10
//   stage 1: F0 2-3.5, B0 3.5-5, F1 5-6.5, B1 6.5-8
TEST(ReplayStragglers, AnUnevenPipeline) {
  const auto slowdowns = Slowdowns(OneForwardOneBackward());
  EXPECT_THAT(slowdowns.at("job"), DoubleNear(11.0 / 10, 1e-12));
  EXPECT_THAT(slowdowns.at("dp_rank/0"), DoubleNear(11.0 / 10, 1e-12));
  // Stage 1 as it was, stage 0 even: F0 ends at 1.5, then 2, 4, 6, 8, 10 and 10.5, B1 till 12.
  EXPECT_THAT(slowdowns.at("stage/1"), DoubleNear(12.0 / 10, 1e-12));
  // Stage 0 as it was: 1, then 1.5, 3, 4.5, 6, 7.5 and 8, B1 till 9.
  EXPECT_THAT(slowdowns.at("stage/0"), DoubleNear(9.0 / 10, 1e-12));
  EXPECT_THAT(slowdowns.at("optype/forward-pp-comm"), DoubleNear(1, 1e-12));
  EXPECT_THAT(slowdowns.at("optype/backward-pp-comm"), DoubleNear(1, 1e-12));
  EXPECT_EQ(slowdowns.count("optype/forward-send"), 0u);
}

// Computing is compared with its mean, communication with its median over all steps.
TEST(ReplayStragglers, EachStepAgainstAll) {
  const auto slowdowns = Slowdowns(TableOf({{0, 0, 0, "params-all-gather", 0, 1},
                                            {0, 0, 0, "forward-compute", 1, 2},
                                            {1, 0, 0, "params-all-gather", 0, 1},
                                            {1, 0, 0, "forward-compute", 1, 2},
                                            {2, 0, 0, "params-all-gather", 0, 7},
                                            {2, 0, 0, "forward-compute", 7, 11}}));
  // Evenly a step takes 1 + (1 + 1 + 4) / 3 = 3 s.
  EXPECT_THAT(slowdowns.at("step/0"), DoubleNear(2.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("step/2"), DoubleNear(11.0 / 3, 1e-12));
  EXPECT_THAT(slowdowns.at("job"), DoubleNear((2 + 2 + 11) / 9.0, 1e-12));
  EXPECT_THAT(slowdowns.at("optype/params-all-gather"), DoubleNear((3 + 3 + 9) / 9.0, 1e-12));
}

// Two stages of two chunks each: the last stage sends its first chunk on to the first stage.
TEST(ReplayStragglers, InterleavedStages) {
  const auto slowdowns = Slowdowns(TableOf({{0, 0, 0, "forward-compute", 0, 1, 0},
                                            {0, 0, 0, "forward-send", 1, 1.5, -1},
                                            {0, 0, 1, "forward-recv", 0, 1.5, -1},
                                            {0, 0, 1, "forward-compute", 1.5, 2.5, 0},
                                            {0, 0, 1, "forward-send", 2.5, 3, -1},
                                            {0, 0, 0, "forward-recv", 1, 3, -1},
                                            {0, 0, 0, "forward-compute", 3, 6, 1},
                                            {0, 0, 0, "forward-send", 6, 6.5, -1},
                                            {0, 0, 1, "forward-recv", 2.5, 6.5, -1},
                                            {0, 0, 1, "forward-compute", 6.5, 7.5, 1}}));
  // 1 + 1 + 3 + 1 and three transfers; the mean pass takes as long as a quarter of them.
  EXPECT_THAT(slowdowns.at("job"), DoubleNear(1, 1e-12));
  EXPECT_THAT(slowdowns.at("stage/0"), DoubleNear((1 + 3 + 1.5 + 1.5 + 1.5) / 7.5, 1e-12));
}

TEST(ReplayStragglers, WhatCannotBeOfOneJob) {
  EXPECT_THAT(Refusal(TableOf({})), HasSubstr("empty"));
  EXPECT_THAT(Refusal(Table("x", {{"step"}})), HasSubstr("x is no table of operations"));
  EXPECT_THAT(Refusal(TableOf({{0, 0, 0, "gc", 1, 0}})), HasSubstr("row 1"));
  EXPECT_THAT(Refusal(TableOf({{3, 0, 0, "forward-compute", 0, 1},
                               {3, 0, 1, "forward-compute", 1, 2},
                               {3, 0, 0, "forward-send", 1, 2}})),
              HasSubstr("in step 3 dp rank 0, stage 1 has 0 of forward-recv for 1 passes"));
  const auto& columns = SchemaOf<Operations>();
  auto lacking = columns.NewTable("operations");
  lacking.Add({columns.step = 1, columns.dp_rank = 0, columns.stage = 0, columns.start_ts = 0.5,
               columns.duration = 1.0});
  EXPECT_THAT(Refusal(lacking), HasSubstr("row 1 of the operations lacks"));
}

// Two replicas that reduce in opposite orders would wait for each other for ever.
TEST(ReplayStragglers, ACircleIsTold) {
  EXPECT_THAT(Refusal(TableOf({{5, 0, 0, "grads-reduce-scatter", 0, 1},
                               {5, 0, 0, "optimizer-clip-main-grad", 1, 2},
                               {5, 1, 0, "optimizer-clip-main-grad", 0, 1},
                               {5, 1, 0, "grads-reduce-scatter", 1, 2}})),
              HasSubstr("the operations of step 5 wait for each other in a circle"));
}

}  // namespace
}  // namespace rankscope
