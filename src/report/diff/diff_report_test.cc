#include "report/diff/diff_report.h"

#include <gtest/gtest.h>

#include "schemas/diff.h"

namespace rankscope {
namespace {

// A step of 100 ms and one of `test_ms`; p below 0: not known.
DiffReport Job(std::int64_t test_ms, double p, bool is_step = true) {
  const auto& job = SchemaOf<DiffJob>();
  auto table = job.NewTable("diff_job");
  const std::int64_t test_ns = test_ms * 1'000'000;
  table.Add({job.unit = is_step ? "step" : "recording", job.base_ns = 100'000'000,
             job.test_ns = test_ns, job.change_ns = test_ns - 100'000'000,
             job.change_pct = static_cast<double>(test_ms - 100),
             job.p = p < 0 ? Value(kNull) : Value(p),
             job.significant = p < 0 ? Value(kNull) : Value(p < 0.05), job.base_steps = 5,
             job.test_steps = 5, job.same_recordings = false});
  DiffReport report;
  report.base.traces = "before";
  report.test.traces = "after";
  report.base.ranks = report.test.ranks = {0};
  report.tables.push_back(std::move(table));
  report.tables.push_back(SchemaOf<DiffParts>().NewTable("diff_parts"));
  return report;
}

void AddOp(DiffReport& report, const char* op, std::int64_t change_ms, bool significant) {
  const auto& ops = SchemaOf<DiffOps>();
  if (report.Find("diff_ops") == nullptr) report.tables.push_back(ops.NewTable("diff_ops"));
  TableOf<DiffOps> table(std::move(report.tables.back()));
  table.Add({ops.part = "compute", ops.phase = "backward", ops.op = op, ops.base_ns = 1'000'000,
             ops.test_ns = 1'000'000 + change_ms * 1'000'000, ops.change_ns = change_ms * 1'000'000,
             ops.of_step_pct = static_cast<double>(change_ms), ops.p = significant ? 0.001 : 0.9,
             ops.significant = significant});
  report.tables.back() = std::move(table);
}

TEST(DiffReport, TheHeadlineSaysHowMuchAndWhetherItIsNoise) {
  EXPECT_EQ(DiffHeadline(Job(120, 0.001)),
            "TEST is 20.0% slower: a step takes 120 ms, 20.0 ms more than BASE's 100 ms");
  EXPECT_EQ(DiffHeadline(Job(80, -1)),
            "TEST is 20.0% faster: a step takes 80.0 ms, 20.0 ms less than BASE's 100 ms");
  EXPECT_EQ(
      DiffHeadline(Job(120, 0.3)),
      "No change beyond noise: a step takes 120 ms, 20.0 ms more than BASE's 100 ms (+20.0%)");
  EXPECT_EQ(DiffHeadline(Job(100, 1)),
            "No change beyond noise: a step takes 100 ms in both (+0.0%)");
  EXPECT_EQ(DiffHeadline(Job(2500, 0.001, false)),
            "TEST takes 25.0 times as long: a recording takes 2.50 s, 2.40 s more than BASE's 100 "
            "ms");
}

// What got worse comes first, the most first; of what changed three are told, whatever their order.
TEST(DiffReport, RegressionsComeFirst) {
  const auto& columns = SchemaOf<DiffFindings>();
  auto table = columns.NewTable("diff_findings");
  const auto add = [&](const char* state, const char* id, const Value base, const Value test) {
    table.Add({columns.state = state, columns.id = id, columns.base_gain_pct = base,
               columns.test_gain_pct = test, columns.title = "it is"});
  };
  add("gone", "host-sync", 9.0, kNull);
  add("changed", "slow-link", 8.0, 2.0);
  add("changed", "launch-bound", 4.0, 7.0);
  add("changed", "slow-host", 4.0, 8.0);
  add("changed", "slow-gpu", 3.0, 20.0);
  add("appeared", "gc-pause", kNull, 5.0);
  DiffReport report = Job(100, 1);
  report.tables.push_back(std::move(table));
  std::string ids;
  for (const std::string& line : DiffReasons(report)) ids += line.substr(0, line.find(' ')) + " ";
  EXPECT_EQ(ids, "slow-gpu gc-pause slow-host launch-bound host-sync ");
}

// The largest of the same direction that are more than noise.
TEST(DiffReport, ReasonsGoTheWayOfTheStep) {
  DiffReport report = Job(120, 0.001);
  AddOp(report, "aten::mm", 30, true);
  AddOp(report, "aten::add", -12, true);
  AddOp(report, "aten::item", 5, false);
  AddOp(report, "aten::sum", 2, true);
  EXPECT_EQ(
      DiffReasons(report),
      (std::vector<std::string>{"computing, aten::mm (backward): +30.0 ms, 30.0% of BASE's step",
                                "computing, aten::sum (backward): +2.00 ms, 2.0% of BASE's step"}));
  DiffReport noise = Job(120, 0.5);
  AddOp(noise, "aten::mm", 30, true);
  EXPECT_TRUE(DiffReasons(noise).empty());
}

TEST(DiffReport, TheGateIsHitByWhatIsNotKnownToBeNoise) {
  const auto hit = [](double limit, const DiffReport& report) {
    return DiffGateHit(limit, report).value().has_value();
  };
  EXPECT_TRUE(hit(3, Job(120, 0.001)));
  EXPECT_TRUE(hit(20, Job(120, 0.001)));
  EXPECT_FALSE(hit(20.1, Job(120, 0.001)));
  EXPECT_FALSE(hit(3, Job(120, 0.2)));
  EXPECT_TRUE(hit(3, Job(120, -1)));
  EXPECT_FALSE(hit(3, Job(80, 0.001)));
  EXPECT_FALSE(DiffGateHit(3, Job(120, -1, false)).ok());
}

// Unknown is null; of recordings there are no step times.
TEST(DiffReport, Json) {
  const std::string json = WriteDiffJson(Job(120, -1));
  EXPECT_NE(json.find("{\"schema\":\"rankscope.diff/1\",\n\"job\":{\"step_time_base_ns\":100000000,"
                      "\"step_time_test_ns\":120000000,\"step_time_change_pct\":20,"
                      "\"significant\":null,\"p\":null,\"unit\":\"step\","),
            std::string::npos);
  EXPECT_NE(WriteDiffJson(Job(120, -1, false)).find("\"step_time_base_ns\":null"),
            std::string::npos);
}

}  // namespace
}  // namespace rankscope
