// What `rankscope fleet` says where there is little to say.
#include "report/fleet/fleet_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/fleet_answers.h"

namespace rankscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

FleetReport WithFleetReport(std::int64_t runs, Table table) {
  return {.runs = runs, .tables = {std::move(table)}};
}

TEST(FleetReport, OfNoRunsIsASentence) {
  const FleetReport report = WithFleetReport(0, SchemaOf<FleetShares>().NewTable("fleet_shares"));
  EXPECT_THAT(WriteFleetText(report, {}), StartsWith("No run of this time has been analysed:"));
}

// Silence of few runs is no health.
TEST(FleetReport, FewRunsCannotTellChanges) {
  const auto text = [](std::int64_t runs) {
    return WriteFleetText(
        WithFleetReport(runs, SchemaOf<FleetRegressions>().NewTable("fleet_regressions")), {});
  };
  EXPECT_THAT(text(1), HasSubstr("1 run is too few: a change is told from 5 runs on each side."));
  EXPECT_THAT(text(9), HasSubstr("9 runs are too few"));
  EXPECT_THAT(text(10), HasSubstr("No kernel changed by more than chance"));
}

TEST(FleetReport, WhatIsNotKnownIsReadToItsEnd) {
  const auto& of = SchemaOf<FleetUnknown>();
  auto table = of.NewTable("fleet_unknown");
  const std::string effect(200, 'e');
  table.Add({of.what = "driver", of.of = "runs", of.unknown_pct = 57.14,
             of.effect = std::string_view(effect), of.remedy = "--tag driver=VERSION"});
  EXPECT_EQ(WriteFleetText(WithFleetReport(7, table), {.max_width = 80}),
            "What is not known\n\ndriver: not known of 57.1% of runs, so " + effect +
                "\n    remedy: --tag driver=VERSION\n");
}

TEST(FleetReport, TheFirstMoverIsAllOfThem) {
  const auto& of = SchemaOf<FleetMovers>();
  auto table = of.NewTable("fleet_movers");
  EXPECT_THAT(WriteFleetText(WithFleetReport(7, table), {}), HasSubstr("One of the two parts"));
  table.Add({of.basis = "fleet", of.before_ms = 7'200'000, of.after_ms = 3'600'000,
             of.change_ms = -3'600'000, of.duration_ms = -3'600'000, of.count_ms = 0,
             of.mix_ms = 0});
  table.Add({of.kernel_key = "gemm", of.basis = "fleet", of.before_ms = 7'200'000,
             of.after_ms = 3'600'000, of.change_ms = -3'600'000, of.duration_ms = -3'600'000,
             of.count_ms = 0, of.mix_ms = 0});
  const std::string text = WriteFleetText(WithFleetReport(7, table), {});
  EXPECT_THAT(text, HasSubstr("all computing kernels"));
  EXPECT_THAT(text, HasSubstr("-1 h"));
  EXPECT_THAT(text, Not(HasSubstr("One of the two parts")));
}

TEST(FleetReport, AsJsonSaysOfHowManyRuns) {
  EXPECT_THAT(WriteFleetJson(WithFleetReport(7, SchemaOf<FleetShares>().NewTable("fleet_shares"))),
              StartsWith(R"({"schema":"rankscope.fleet/1","runs":7,"tables":{"fleet_shares":)"));
}

}  // namespace
}  // namespace rankscope
