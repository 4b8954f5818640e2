#include "report/words/layout_words.h"

#include <gmock/gmock.h>

#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/layout.h"
#include "table/table_of.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TableOf<Layout> EmptyLayout() { return SchemaOf<Layout>().NewTable("layout"); }

void AddDimension(TableOf<Layout>* table, std::string_view role, std::string_view dimension,
                  std::int64_t degree, std::string_view source, Value conflicts = kNull,
                  std::int64_t seen = 16) {
  const auto& columns = SchemaOf<Layout>();
  table->Add({columns.role = role, columns.dimension = dimension, columns.degree = degree,
              columns.source = source, columns.ranks_seen = seen, columns.ranks = 16,
              columns.partial = seen < 16, columns.conflicts = conflicts});
}

Report WithLayoutWords(Table table) {
  Report report;
  report.tables.push_back(std::move(table));
  return report;
}

TEST(LayoutWords, OneLineForARole) {
  auto table = EmptyLayout();
  AddDimension(&table, "trainer", "tp", 2, "names");
  AddDimension(&table, "trainer", "cp", 1, "absent");
  AddDimension(&table, "trainer", "pp", 4, "names");
  AddDimension(&table, "trainer", "dp", 2, "names");
  const LayoutSentences words = DescribeLayout(WithLayoutWords(table));
  EXPECT_THAT(words.roles, ElementsAre("tp 2 x pp 4 x dp 2, from names of process groups"));
  EXPECT_THAT(words.warnings, IsEmpty());
}

TEST(LayoutWords, ExpertsAreNoFactor) {
  auto table = EmptyLayout();
  AddDimension(&table, "trainer", "ep", 4, "names");
  AddDimension(&table, "trainer", "dp", 16, "traffic");
  EXPECT_THAT(DescribeLayout(WithLayoutWords(table)).roles,
              ElementsAre("dp 16 with ep 4, from names of process groups (ep), what process "
                          "groups exchange (dp)"));
}

TEST(LayoutWords, RolesMissingRanksAndConflicts) {
  auto table = EmptyLayout();
  AddDimension(&table, "trainer", "dp", 4, "names", kNull, 10);
  AddDimension(&table, "generator", "tp", 2, "traffic", std::string_view("2 groups of 3\nranks"));
  AddDimension(&table, "unknown", "dp", 1, "absent");
  const LayoutSentences words = DescribeLayout(WithLayoutWords(table));
  EXPECT_THAT(words.roles, ElementsAre("trainer: dp 4, from names of process groups",
                                       "generator: tp 2, from what process groups exchange",
                                       "unknown: not parallel"));
  EXPECT_THAT(words.warnings, ElementsAre("trainer: partial: 10 of 16 ranks were recorded",
                                          "generator: tp is uncertain: 2 groups of 3\\nranks"));
}

TEST(LayoutWords, NothingWithoutTables) {
  EXPECT_THAT(DescribeLayout(Report{}).roles, IsEmpty());
  EXPECT_THAT(DescribePipeline(Report{}), IsEmpty());
  EXPECT_THAT(DescribeExperts(Report{}), IsEmpty());
}

TableOf<Pipeline> EmptyPipeline() { return SchemaOf<Pipeline>().NewTable("pipeline"); }

void AddStage(TableOf<Pipeline>* table, double bubble, double ideal, Value excess, double load,
              std::int64_t chunks = 1) {
  const auto& columns = SchemaOf<Pipeline>();
  table->Add({columns.stage = static_cast<std::int64_t>(table->row_count()),
              columns.micro_batches = 8, columns.virtual_stages = chunks,
              columns.bubble_pct = bubble, columns.ideal_pct = ideal, columns.excess_pct = excess,
              columns.load_pct = load});
}

TEST(LayoutWords, FewMicroBatchesAreTheReason) {
  auto table = EmptyPipeline();
  AddStage(&table, 28.3, 27.3, 1.0, 99);
  AddStage(&table, 27.9, 27.3, 0.6, 101);
  EXPECT_THAT(
      DescribePipeline(WithLayoutWords(table)),
      ElementsAre("Stages are evenly full: passes of the fullest, stage 1, take 1.0% longer than "
                  "the mean.",
                  "Stages stand still for 27.9% (stage 1) to 28.3% (stage 0) of a step. With 8 "
                  "micro-batches, 27.3% is the ideal of equal stages.",
                  "The number of micro-batches is the reason, not imbalance. More micro-batches "
                  "per step, or interleaved stages, make the ideal smaller."));
}

TEST(LayoutWords, AFullStageIsTheReason) {
  auto table = EmptyPipeline();
  AddStage(&table, 45, 10, 35.0, 80, 2);
  AddStage(&table, 12, 10, 2.0, 120, 2);
  const auto sentences = DescribePipeline(WithLayoutWords(table));
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0],
            "Stage 1 is the fullest: its passes take 20.0% longer than the mean of the stages'.");
  EXPECT_THAT(sentences[1], HasSubstr("With 8 micro-batches and 2 chunks of layers per stage, "));
  EXPECT_EQ(
      sentences[2],
      "Most of it is no matter of micro-batches: 18.5% on average is beyond the ideal: stages "
      "are uneven; moving layers off the fullest one shrinks it.");
}

// Rank 3 of stages of two ranks is slow, or the kernels of another stage are.
TEST(LayoutWords, AStageThatASlowRankFillsNeedsNoOtherLayers) {
  const auto with_slow = [](std::string_view ranks) {
    auto table = EmptyPipeline();
    AddStage(&table, 45, 10, 35.0, 80, 2);
    AddStage(&table, 12, 10, 2.0, 120, 2);
    Report report = WithLayoutWords(table);
    auto layout = SchemaOf<LayoutRanks>().NewTable("layout_ranks");
    auto captures = SchemaOf<Captures>().NewTable("captures");
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      layout.Add({SchemaOf<LayoutRanks>().rank = rank, SchemaOf<LayoutRanks>().pp = rank / 2});
      captures.Add({SchemaOf<Captures>().rank = rank});
    }
    auto findings = SchemaOf<Findings>().NewTable("findings");
    const auto& of = SchemaOf<Findings>();
    findings.Add({of.id = "slow-gpu", of.severity = "high", of.ranks = ranks, of.who = "rank 3",
                  of.what = "slower kernels"});
    report.tables.insert(report.tables.end(), {layout, captures, findings});
    return DescribePipeline(report);
  };
  const auto sentences = with_slow("3");
  EXPECT_EQ(sentences[0],
            "Stage 1 is the fullest: its passes take 20.0% longer than the mean of the stages', "
            "with rank 3 (slow-gpu).");
  EXPECT_THAT(sentences[2], HasSubstr("the fullest stage has ranks that are slower"));
  EXPECT_THAT(with_slow("0")[2], HasSubstr("moving layers off the fullest one"));
}

// The ideal is larger than what exceeds it, but more micro-batches can save no more than the 15.2 %
// in which the fullest stage stands still, and even stages 1 - 1 / 1.547 = 35 % of the step.
TEST(LayoutWords, AFullStageIsTheReasonBesideFewMicroBatches) {
  auto table = EmptyPipeline();
  AddStage(&table, 57.1, 27.3, 29.8, 78.3);
  AddStage(&table, 57.6, 27.3, 30.3, 77.5);
  AddStage(&table, 15.2, 27.3, -12.1, 154.7);
  AddStage(&table, 50.9, 27.3, 23.6, 89.5);
  EXPECT_EQ(
      DescribePipeline(WithLayoutWords(table))[2],
      "Most of it is no matter of micro-batches: 17.9% on average is beyond the ideal: stages "
      "are uneven; moving layers off the fullest one shrinks it.");
}

TEST(LayoutWords, EqualStagesThatWait) {
  auto table = EmptyPipeline();
  AddStage(&table, 35, 30, 5.0, 101);
  AddStage(&table, 36, 30, 6.0, 99);
  EXPECT_THAT(DescribePipeline(WithLayoutWords(table))[2],
              HasSubstr("5.5% on average is beyond the ideal: stages are equally full, so it is "
                        "passes that differ"));
}

// 1.25 times the mean load explain 80 % * (1 - 1 / 1.25) = 16 %, less than half of 38 %.
TEST(LayoutWords, UnevenStagesMayExplainAPart) {
  auto table = EmptyPipeline();
  AddStage(&table, 56, 20, 36.0, 125);
  AddStage(&table, 60, 20, 40.0, 75);
  EXPECT_THAT(
      DescribePipeline(WithLayoutWords(table))[2],
      HasSubstr("38.0% on average is beyond the ideal: uneven stages explain 16.0% of the step, "
                "the rest is passes"));
}

TEST(LayoutWords, TwoCausesOfABubble) {
  auto table = EmptyPipeline();
  AddStage(&table, 65, 30, 35.0, 50);
  AddStage(&table, 53, 30, 23.0, 150);
  EXPECT_THAT(DescribePipeline(WithLayoutWords(table))[2],
              HasSubstr("and as much is lost otherwise: 29.0% on average is beyond the ideal: "
                        "stages are uneven"));
}

TEST(LayoutWords, MissingStagesLeaveTheReasonOpen) {
  auto table = EmptyPipeline();
  AddStage(&table, 35, 30, kNull, 101);
  EXPECT_THAT(DescribePipeline(WithLayoutWords(table)).back(),
              HasSubstr("the reason is not known"));
}

TableOf<ExpertLoad> EmptyExperts() { return SchemaOf<ExpertLoad>().NewTable("expert_load"); }

void AddExchange(TableOf<ExpertLoad>* table, double load, std::int64_t rank, double persistence,
                 std::int64_t steps = 4) {
  const auto& columns = SchemaOf<ExpertLoad>();
  table->Add({columns.group = 0, columns.exchange = static_cast<std::int64_t>(table->row_count()),
              columns.steps = steps, columns.max_over_mean = load, columns.hottest_rank = rank,
              columns.persistence_pct = persistence});
}

TEST(LayoutWords, EvenExperts) {
  auto table = EmptyExperts();
  AddExchange(&table, 1.04, 3, 25);
  EXPECT_THAT(DescribeExperts(WithLayoutWords(table)),
              ElementsAre("Loads are even: nowhere has a rank more than 1.04 times the mean."));
}

TEST(LayoutWords, OneRankIsAlwaysFull) {
  auto table = EmptyExperts();
  AddExchange(&table, 1.5, 3, 100);
  AddExchange(&table, 2.25, 3, 75);
  AddExchange(&table, 1.05, 1, 25);
  EXPECT_THAT(DescribeExperts(WithLayoutWords(table)),
              ElementsAre("In 2 of 3 exchanges one rank has at least 1.10 times the mean load; at "
                          "the worst, exchange 1 of group 0, rank 3 has 2.25 times.",
                          HasSubstr("It is rank 3 everywhere")));
}

TEST(LayoutWords, LayersThatPreferAndBatchesThatDiffer) {
  auto layers = EmptyExperts();
  AddExchange(&layers, 1.5, 3, 100);
  AddExchange(&layers, 1.6, 5, 100);
  EXPECT_THAT(DescribeExperts(WithLayoutWords(layers)).back(), HasSubstr("from layer to layer"));
  auto batches = EmptyExperts();
  AddExchange(&batches, 1.5, 3, 25);
  AddExchange(&batches, 1.6, 5, 50);
  EXPECT_THAT(DescribeExperts(WithLayoutWords(batches)).back(), HasSubstr("from step to step"));
  // One step says nothing on that.
  auto once = EmptyExperts();
  AddExchange(&once, 1.5, 3, 100, 1);
  AddExchange(&once, 1.6, 5, 100, 1);
  EXPECT_THAT(DescribeExperts(WithLayoutWords(once)).back(), HasSubstr("only one step"));
}

}  // namespace
}  // namespace rankscope
