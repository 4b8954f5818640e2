#include "report/words/host_alone_words.h"

#include <gmock/gmock.h>

#include "report/base/report_for_test.h"
#include "schemas/across.h"
#include "schemas/ops.h"
#include "schemas/steps.h"
#include "schemas/unknown_gaps.h"

namespace rankscope {
namespace {

// Two groups of which the other ranks were recorded (`wait_pct`) or not.
Report WithCollectives(std::optional<double> wait_pct) {
  const auto& columns = SchemaOf<CollectiveSizes>();
  auto sizes = columns.NewTable("collective_sizes");
  for (const std::int64_t ms : {1200, 800}) {
    sizes.Add({columns.op = "all_reduce", columns.count = 5, columns.device_ns = ms * 1'000'000,
               columns.wait_pct = wait_pct ? Value(*wait_pct) : Value(kNull)});
  }
  Report report;
  report.tables.push_back(std::move(sizes));
  return report;
}

TEST(HostAloneWords, Collectives) {
  EXPECT_EQ(DescribeHostAlone(WithCollectives(std::nullopt)),
            " Its ranks are in all_reduce of a process group on the host for 2.00 s in 10 calls, "
            "side by side or not; other ranks were not recorded, so how much of that is waiting "
            "for them is not known.");
  EXPECT_EQ(DescribeHostAlone(WithCollectives(40)),
            " Its ranks are in all_reduce of a process group on the host for 2.00 s in 10 calls, "
            "40.0% of it waiting for the last rank.");
  EXPECT_EQ(DescribeHostAlone(Report{}), "");
}

TEST(HostAloneWords, PhasesAndOps) {
  const auto& columns = SchemaOf<Phases>();
  auto phases = columns.NewTable("phases");
  phases.Add({columns.rank = 0, columns.step = 1, columns.phase = "forward",
              columns.duration_ns = 19'000'000});
  phases.Add({columns.rank = 0, columns.step = 1, columns.phase = "backward",
              columns.duration_ns = 34'000'000});
  phases.Add({columns.rank = 0, columns.step = 1, columns.phase = "other",
              columns.duration_ns = 90'000'000});
  const auto& of_op = SchemaOf<OpsByName>();
  auto ops = of_op.NewTable("ops_by_name");
  ops.Add({of_op.name = "aten::copy_", of_op.host_self_ns = 6'000'000});
  Report report;
  report.tables.push_back(std::move(phases));
  report.tables.push_back(std::move(ops));
  EXPECT_EQ(DescribeHostAlone(report),
            " The largest phase of its steps is backward (34.0 ms). The op that takes most itself "
            "is aten::copy_ (6.00 ms).");
}

TEST(HostAloneWords, ExposedCommunication) {
  const auto with = [](double share_pct) {
    const auto& columns = SchemaOf<JobBreakdown>();
    auto parts = columns.NewTable("job_breakdown");
    parts.Add({columns.part = "unknown", columns.share_pct = 70.0});
    parts.Add({columns.part = "exposed_communication", columns.share_pct = share_pct});
    Report report;
    report.tables.push_back(std::move(parts));
    return DescribeExposed(report);
  };
  EXPECT_EQ(with(26.1), " Communication that no computing hides takes 26.1% of device time.");
  EXPECT_EQ(with(9.9), "");
}

// 60 % idle, of which causes that gain 25 % explain something, and those that gain 2 % little; of
// 90 % something is not enough.
TEST(HostAloneWords, IdleTimeThatIsNotExplained) {
  const auto with = [](double idle_pct, double gain_pct) {
    const auto& columns = SchemaOf<JobBreakdown>();
    auto parts = columns.NewTable("job_breakdown");
    parts.Add({columns.part = "compute", columns.share_pct = 100 - idle_pct});
    parts.Add({columns.part = "idle_host", columns.share_pct = idle_pct - 10});
    parts.Add({columns.part = "unknown", columns.share_pct = 10.0});
    Report report;
    report.tables.push_back(std::move(parts));
    return DescribeIdle(report, gain_pct);
  };
  EXPECT_EQ(with(60, 2),
            " Devices run nothing for 60.0% of the time; the causes below explain little of that.");
  EXPECT_EQ(with(60, 25), "");
  EXPECT_EQ(
      with(90, 35),
      " Devices run nothing for 90.0% of the time; the causes below explain 35.0 points of that.");
  EXPECT_EQ(with(40, 2), "");
  EXPECT_EQ(DescribeIdle(Report{}, 1), "");
}

// A call in which the host is for most of the time; where it is in none, nothing is said.
TEST(HostAloneWords, ABlockedHost) {
  const auto with = [](std::string_view call) {
    const auto& columns = SchemaOf<UnknownGaps>();
    auto gaps = columns.NewTable("unknown_gaps");
    gaps.Add({columns.rank = 0, columns.host_op = "aten::copy_",
              columns.host_call = call.empty() ? Value(kNull) : Value(call), columns.gaps = 1,
              columns.total_ns = 463'000'000});
    gaps.Add({columns.rank = 0, columns.host_op = "(others)", columns.gaps = 9,
              columns.total_ns = 100'000'000});
    Report report;
    report.tables.push_back(std::move(gaps));
    return DescribeBlockedHost(report);
  };
  EXPECT_EQ(with("hipMemcpyWithStream"),
            " For 463 ms of it the host is in hipMemcpyWithStream of aten::copy_ and no device "
            "runs anything: what it waits for was not recorded.");
  EXPECT_EQ(with(""), "");
}

}  // namespace
}  // namespace rankscope
