#include "report/words/finding_words.h"

#include <gmock/gmock.h>

#include "report/base/report_for_test.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::MakeGains;
using report_for_test::WithFindings;
using report_for_test::WithoutFinding;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FindingWords, Ranges) {
  EXPECT_THAT(ParseRanges("0-3,7"), ElementsAre(0, 1, 2, 3, 7));
  EXPECT_THAT(ParseRanges("5, 8-9"), ElementsAre(5, 8, 9));
  EXPECT_THAT(ParseRanges("-1-1"), ElementsAre(-1, 0, 1));
  EXPECT_THAT(ParseRanges(""), IsEmpty());
  EXPECT_THAT(ParseRanges("a,3-,7-5,2"), ElementsAre(2));
  EXPECT_EQ(ParseRanges("0-9223372036854775807").size(), 1'000'000u);
}

TEST(FindingWords, GainsSayHowTheyAreKnown) {
  const Report report = WithFindings(MakeFindings());
  EXPECT_EQ(GainWords(report, 0), "18.2%, 4.34 ms per step");
  EXPECT_EQ(GainWords(report, 1), "full in 1.3 h");
  EXPECT_EQ(GainWords(report, 2), "at most 4.5%, 1.07 ms per step");
  EXPECT_EQ(GainWords(report, 3), "about 1.5%, 357 us per step");
  const auto& columns = SchemaOf<Findings>();
  auto memory = columns.NewTable("findings");
  memory.Add({columns.id = "memory-leak", columns.severity = "high", columns.gain_pct = 0.0,
              columns.gain_ns = 0, columns.gain_method = "bound",
              columns.time_to_failure_ns = 4'680'000'000'000});
  memory.Add({columns.id = "allocations-kept", columns.severity = "medium", columns.gain_pct = 0.0,
              columns.gain_ns = 0, columns.gain_method = "bound"});
  EXPECT_EQ(GainWords(WithFindings(memory), 0), "full in 1.3 h");
  EXPECT_EQ(GainWords(WithFindings(memory), 1), "hardly any time");
  auto unknown = columns.NewTable("findings");
  unknown.Add({columns.id = "slow-gpu", columns.severity = "high"});
  EXPECT_EQ(GainWords(WithFindings(unknown), 0), "gain unknown");
  auto hidden = columns.NewTable("findings");
  hidden.Add({columns.id = "launch-bound", columns.severity = "high", columns.gain_pct = 12.0,
              columns.gain_ns = 1'200'000, columns.gain_unprofiled_pct = 3.5});
  hidden.Add({columns.id = "slow-gpu", columns.severity = "high", columns.gain_pct = -0.02,
              columns.gain_ns = -1'770, columns.gain_unprofiled_pct = 37.0});
  hidden.Add({columns.id = "no-tensor-cores", columns.severity = "high", columns.gain_pct = 19.9,
              columns.gain_ns = 26'500'000, columns.gain_alone_pct = 1.1});
  EXPECT_EQ(GainWords(WithFindings(hidden), 0),
            "12.0%, 1.20 ms per step (about 3.5% without the profiler)");
  EXPECT_EQ(GainWords(WithFindings(hidden), 1),
            "about 37.0% without the profiler, nothing while it records");
  EXPECT_EQ(GainWords(WithFindings(hidden), 2),
            "19.9%, 26.5 ms per step once the others are gone (1.1% alone)");
}

TEST(FindingWords, TheBottleneckGainsMost) {
  EXPECT_EQ(Bottleneck(WithoutFinding()), "gpu-compute");
  EXPECT_EQ(Bottleneck(WithoutFinding(MakeGains(70))), "communication");
  // Within a tenth of the largest: 0.9 * 61.25 = 55.125.
  EXPECT_EQ(Bottleneck(WithoutFinding(MakeGains(55.2))), "balanced");
  EXPECT_EQ(Bottleneck(WithoutFinding(MakeGains(55.1))), "gpu-compute");
  EXPECT_EQ(Bottleneck(Report{}), "");
  EXPECT_EQ(CombinedGainPct(WithFindings(MakeFindings())), 22.5);
  EXPECT_EQ(CombinedGainPct(WithoutFinding()), std::nullopt);
}

TEST(FindingWords, WhatTheJobCouldGain) {
  EXPECT_EQ(FindingsSentence(WithFindings(MakeFindings())),
            "A step takes 23.8 ms; without the causes below it would take 18.5 ms (-22.5%).");
  EXPECT_EQ(
      FindingsSentence(WithoutFinding()),
      "No cause was found that costs 1% of a step or more. The job is bound by computing: if "
      "that took no time at all, a step would be 61.2% shorter. Communication that no computing "
      "hides takes 22.2% of device time.");
  EXPECT_EQ(
      FindingsSentence(WithoutFinding(MakeGains(70))),
      "No cause was found that costs 1% of a step or more. The job is bound by communication: "
      "if that took no time at all, a step would be 70.0% shorter.");
  EXPECT_EQ(FindingsSentence(Report{}), "");
  // Of a recording that nothing explains it is not known that no cause costs much.
  const Report unexplained =
      WithFindings(SchemaOf<Findings>().NewTable("findings"), {}, MakeGains(),
                   report_for_test::MakeFidelity(
                       std::string_view("nothing recorded explains 97.8% of the critical path.")));
  EXPECT_EQ(FindingsSentence(unexplained),
            "No cause can be told: nothing recorded explains 97.8% of the critical path. "
            "Communication that no computing hides takes 22.2% of device time.");
  EXPECT_EQ(ReplaySentence(unexplained), "");
  EXPECT_EQ(LargestPartsSentence(unexplained), "");
  EXPECT_EQ(ReplaySentence(Report{}), "");
  const Report refused = WithFindings(
      MakeFindings(), {}, MakeGains(),
      report_for_test::MakeFidelity(std::string_view("replaying is 7.1% off the recorded steps.")));
  EXPECT_EQ(ReplaySentence(refused),
            "Gains are not from a replay: replaying is 7.1% off the recorded steps.");
  EXPECT_EQ(
      FindingsSentence(refused),
      "A step takes 23.8 ms; without the causes below it would take at least 18.5 ms (at most "
      "-22.5%).");
  const Report large = WithFindings(MakeFindings(), {}, MakeGains(),
                                    report_for_test::MakeFidelity(kNull, /*left_out=*/2));
  EXPECT_EQ(ReplaySentence(large),
            "Gains are of the last 8 steps: with the 2 steps before, the graph of all ranks would "
            "be too large.");
}

// Two causes of 20 % each that gain 22.5 % together, or of 5 % each; a step whose median is
// another.
TEST(FindingWords, WhatGainsAreTogether) {
  const auto with = [](double each_pct) {
    const auto& columns = SchemaOf<Findings>();
    auto findings = columns.NewTable("findings");
    for (int i = 0; i < 2; ++i)
      findings.Add({columns.id = "host-work", columns.gain_pct = each_pct});
    return FindingsSentence(WithFindings(findings));
  };
  EXPECT_THAT(with(20), testing::EndsWith("together they are less than their sum."));
  EXPECT_THAT(with(5), testing::EndsWith("together they gain more than their sum."));
  EXPECT_THAT(with(11), testing::EndsWith("(-22.5%)."));
}

// Where recording costs hosts much, what could be gained without it is said beside.
TEST(FindingWords, WhatCausesGainWithoutTheProfiler) {
  const auto with = [](Value without_profiler) {
    const auto& columns = SchemaOf<Findings>();
    auto findings = columns.NewTable("findings");
    findings.Add({columns.id = "host-work", columns.gain_pct = 22.5,
                  columns.combined_unprofiled_pct = without_profiler});
    return FindingsSentence(WithFindings(findings));
  };
  EXPECT_THAT(with(9.4), testing::EndsWith("(-22.5%; about -9.4% without the profiler)."));
  EXPECT_THAT(with(0.01), testing::EndsWith("(-22.5%; about 0.0% without the profiler)."));
  EXPECT_THAT(with(21.0), testing::EndsWith("(-22.5%)."));
  EXPECT_THAT(with(kNull), testing::EndsWith("(-22.5%)."));
}

TEST(FindingWords, CommandsNameTheJob) {
  Report report = WithFindings(MakeFindings());
  EXPECT_EQ(CommandWords(report, "rankscope table kernels TRACES --set a=b"),
            "rankscope table kernels TRACES --set a=b");
  report.traces = "'my traces/'";
  EXPECT_EQ(CommandWords(report, "rankscope table kernels TRACES --set a=b"),
            "rankscope table kernels 'my traces/' --set a=b");
  EXPECT_EQ(CommandWords(report, ""), "");
}

TEST(FindingWords, WithoutStepsTheRecordingIsMeant) {
  Report report = WithFindings(MakeFindings());
  report_for_test::Get(report, "step_spread") = SchemaOf<StepSpread>().NewTable("step_spread");
  EXPECT_EQ(
      FindingsSentence(report),
      "The recording takes 23.8 ms; without the causes below it would take 18.5 ms (-22.5%).");
}

TEST(FindingWords, Places) {
  const std::vector<Place> places = ParsePlaces(
      R"([{"op":"aten::item","module":"Trainer.step","file":"train.py","line":214,"ns":6200000},
          {"file":"a.py"}, {"module":"m"}, {}, 7])");
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(PlaceWords(places[0]), "aten::item in Trainer.step, train.py:214 (6.20 ms)");
  EXPECT_EQ(PlaceWords(places[1]), "a.py");
  EXPECT_EQ(PlaceWords(places[2]), "m");
  EXPECT_EQ(PlaceWords(places[3]), "");
  for (const std::string_view damaged : {"", "[", "{}", "[1", "null"})
    EXPECT_THAT(ParsePlaces(damaged), IsEmpty()) << damaged;
}

TEST(FindingWords, SignaturesOfKernelsAreShort) {
  const std::string kernel =
      "void split_embedding_backward_kernel<float, float, 5ul>(at::GenericPackedTensorAccessor<"
      "float, 2ul, at::RestrictPtrTraits, int>, long, int)";
  const std::string places = R"([{"op":")" + kernel + R"(","ns":1000},{"op":"aten::mm"}])";
  EXPECT_EQ(PlaceWords(ParsePlaces(places)[0]),
            "split_embedding_backward_kernel<float, float, 5ul> (1.00 us)");
  EXPECT_EQ(TitleWords("step 9 is longer, above all in " + kernel + ", then in aten::mm", places),
            "step 9 is longer, above all in split_embedding_backward_kernel<float, float, 5ul>, "
            "then in aten::mm");
  EXPECT_EQ(TitleWords("nothing is named", places), "nothing is named");
}

TEST(FindingWords, CausesThatWereNotLookedFor) {
  Report report;
  report.not_evaluated = {{"slow-gpu", "no rule"}};
  EXPECT_THAT(CausesNotEvaluated(report), ElementsAre(testing::Pair("slow-gpu", "no rule")));
  EXPECT_THAT(CausesNotEvaluated(WithoutFinding()),
              ElementsAre(testing::Pair("cpu-contention", "needs telemetry of hosts"),
                          testing::Pair("power-throttle", "needs telemetry of devices"),
                          testing::Pair("underused-gpu", "needs telemetry of devices")));
}

}  // namespace
}  // namespace rankscope
