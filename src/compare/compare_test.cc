#include "compare/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "compare/findings_diff.h"
#include "compare/measures.h"
#include "compare/tables.h"
#include "compare/tables_for_test.h"
#include "schemas/diff.h"
#include "table/cells_for_test.h"

namespace rankscope {
namespace {

// Two steps of about 100: mm takes 60, add 30, the device idles before add for the rest.
JobForDiff Before() {
  JobForDiff job;
  job.Step(1, 100).Work("linear > mm", "gemm_v1", 60).Work("add", "add_v1", 30).Idle("add", 10);
  job.Step(2, 102).Work("linear > mm", "gemm_v1", 61).Work("add", "add_v1", 30).Idle("add", 11);
  return job;
}
// mm takes 20 more, and its kernel has another name.
JobForDiff After() {
  JobForDiff job;
  job.Step(1, 120).Work("linear > mm", "sm90_x", 80).Work("add", "add_v1", 30).Idle("add", 10);
  job.Step(2, 122).Work("linear > mm", "sm90_x", 81).Work("add", "add_v1", 30).Idle("add", 11);
  return job;
}

class Compared {
 public:
  Compared(const JobForDiff& base, const JobForDiff& test)
      : tables_(Compare(base.Tables(), test.Tables()).value()) {}
  const Table& operator[](std::string_view name) const {
    return *std::find_if(tables_.begin(), tables_.end(),
                         [&](const Table& table) { return table.name() == name; });
  }
  const std::vector<Table>& tables() const { return tables_; }

 private:
  std::vector<Table> tables_;
};

TEST(Compare, TheDifferenceOfTheStepIsThatOfItsParts) {
  const Compared diff(Before(), After());
  EXPECT_EQ(Rows(diff["diff_job"], {"unit", "base_ns", "test_ns", "change_ns", "significant",
                                    "base_steps", "test_ranks"}),
            "step,101,121,20,true,2,1\n");
  EXPECT_EQ(Rows(diff["diff_ops"], {"part", "op", "base_ns", "test_ns", "change_ns"}),
            "compute,mm,61,81,20\n"
            "compute,add,30,30,0\n"
            "idle_host,add,10,10,0\n"
            "outside_of_devices,,0,0,0\n");
  EXPECT_EQ(Rows(diff["diff_places"], {"path", "base_name", "test_name", "state", "significant"}),
            "linear > mm,gemm_v1,sm90_x,renamed,true\n"
            "add,add_v1,add_v1,same,false\n"
            "add,,,same,false\n"
            ",,,same,\n");
}

// Means of thirds: 10, 10 and 11 over three steps are 10.33 each; the parts still add up.
TEST(Compare, RoundedMeansAddUpInEveryTable) {
  JobForDiff base;
  for (std::int64_t step = 0; step < 3; ++step) {
    base.Step(step, 31, 33);
    for (const char* op : {"a", "b", "c"}) base.Work(op, "k", 10 + (op[0] == 'a' + step ? 1 : 0));
  }
  const Compared diff(base, After());
  const auto sum = [](const Table& table, std::string_view name) {
    std::int64_t total = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row)
      total += table.Int(row, *table.Find(name));
    return total;
  };
  for (const char* name :
       {"diff_parts", "diff_phases", "diff_modules", "diff_ops", "diff_kernels", "diff_places"}) {
    EXPECT_EQ(sum(diff[name], "base_ns"), 33) << name;
    EXPECT_EQ(sum(diff[name], "test_ns"), 121) << name;
    EXPECT_EQ(sum(diff[name], "change_ns"), 88) << name;
  }
  EXPECT_EQ(Rows(diff["diff_call_tree"], {"frame", "name", "base_ns", "test_ns"}).substr(0, 17),
            "0,(all),33,121\n1,");
}

// Two ranks in BASE, one in TEST, and twice the steps: the same means, and it is said.
TEST(Compare, OtherNumbersOfRanksAndStepsAreSaidAndDividedOut) {
  JobForDiff base(2);
  base.Step(1, 100).Work("mm", "k", 200, 4);
  JobForDiff test(1, "MI300");
  test.Step(1, 100).Work("mm", "k", 100, 2).Step(2, 100).Work("mm", "k", 100, 2);
  const Compared diff(base, test);
  EXPECT_EQ(Rows(diff["diff_ops"], {"op", "base_ns", "test_ns", "base_count", "test_count"}),
            "mm,100,100,2,2\n,0,0,0,0\n");
  EXPECT_EQ(Rows(diff["diff_notes"], {"about"}), "steps\nranks\ndevices\n");
}

TEST(Compare, OneStepOfOneRankTellsNothingFromChance) {
  JobForDiff base;
  base.Step(1, 100).Work("mm", "k", 100);
  JobForDiff test;
  test.Step(1, 150).Work("mm", "k", 150);
  const Compared diff(base, test);
  EXPECT_EQ(Rows(diff["diff_job"], {"change_pct", "p", "significant", "spread_of"}), "50,,,\n");
  EXPECT_EQ(Rows(diff["diff_ops"], {"change_ns", "significant"}), "50,\n0,\n");
  EXPECT_EQ(Rows(diff["diff_notes"], {"about"}), "spread\n");
}

// One step on both sides: rows are judged by the spread over ranks, the step itself is not. mm
// takes 60 and 62, then 80 and 82: 20 / sqrt(2) = 14.1 with 2 degrees, p 0.005; two rows are
// tested.
TEST(Compare, OneStepOfSeveralRanks) {
  const auto job = [](std::int64_t mm) {
    JobForDiff made(2);
    made.Step(1, mm + 31).Work("mm", "gemm", 2 * mm + 2).Work("add", "add", 60);
    made.WorkOfRank(0, "mm", "gemm", mm).WorkOfRank(1, "mm", "gemm", mm + 2);
    made.WorkOfRank(0, "add", "add", 29).WorkOfRank(1, "add", "add", 31);
    return made;
  };
  EXPECT_TRUE(NeedsRanks(job(60).Tables(), job(80).Tables()));
  const Compared diff(job(60), job(80));
  EXPECT_EQ(Rows(diff["diff_job"], {"change_ns", "p", "significant", "spread_of"}), "20,,,ranks\n");
  EXPECT_EQ(Rows(diff["diff_ops"], {"op", "change_ns", "significant"}),
            "mm,20,true\nadd,0,false\n,0,\n");
  EXPECT_NEAR(diff["diff_ops"].Double(0, *diff["diff_ops"].Find("p")), 2 * 0.00496, 0.0002);
  EXPECT_EQ(Rows(diff["diff_notes"], {"about"}), "spread\n");
}

// Host threads by op, which no sum of the step holds.
TEST(Compare, HostTimeIsOfARankAndStep) {
  JobForDiff base(2);
  base.Step(1, 100).Work("mm", "k", 200).Step(2, 100).Work("mm", "k", 200);
  base.Work("linear > mm", "", 80, 4, "", kHostWork);
  const Compared diff(base, base);
  EXPECT_EQ(Rows(diff["diff_host"], {"phase", "op", "base_ns", "test_ns", "base_count"}),
            "forward,mm,20,20,1\n");
  EXPECT_EQ(Rows(diff["diff_ops"], {"op", "base_ns"}), "mm,100\n,0\n");
}

TEST(Compare, WithoutCompleteStepsRecordingsAreCompared) {
  JobForDiff base;
  const Compared diff(base, After());
  EXPECT_EQ(Rows(diff["diff_job"], {"unit", "base_ns", "test_ns", "significant"}),
            "recording,1000,1000,\n");
}

TEST(Compare, TheListHasItsTablesInTheirOrder) {
  const Compared diff(Before(), After());
  std::size_t i = 0;
  for (const Table& table : diff.tables()) {
    ASSERT_LT(i, DiffTables().size());
    EXPECT_EQ(DiffTables()[i].name, table.name());
    EXPECT_TRUE(std::ranges::equal(DiffTables()[i].columns, table.columns()));
    ++i;
  }
  EXPECT_EQ(DiffTables()[i].name, "hta.trace_diff");
  EXPECT_EQ(FindDiffTable("diff_nothing"), nullptr);
}

// Everything of a job against itself is the same.
TEST(Compare, WithItselfIsNothing) {
  const Compared diff(Before(), Before());
  for (const Table& table : diff.tables()) {
    const auto change = table.Find("change_ns");
    for (std::size_t row = 0; change && row < table.row_count(); ++row)
      EXPECT_EQ(table.Int(row, *change), 0) << table.name();
  }
  EXPECT_EQ(Rows(diff["diff_job"], {"significant", "same_recordings"}), "false,true\n");
  EXPECT_EQ(diff["diff_notes"].row_count(), 0);
}

std::string States(const JobForDiff& base, const JobForDiff& test) {
  return Rows(Compared(base, test)["diff_places"],
              {"path", "base_shapes", "base_name", "test_shapes", "test_name", "state"});
}

// Names that differ in digits first, then by class in the order in which they begin.
TEST(Compare, RenamedWorkIsPairedAtItsPlace) {
  JobForDiff base;
  base.Step(1, 100).Work("mm", "triton_a_1", 50).Work("mm", "split", 30).Work("mm", "reduce", 20);
  JobForDiff test;
  test.Step(1, 200).Work("mm", "cut", 100).Work("mm", "add_up", 60).Work("mm", "triton_a_7", 40);
  EXPECT_EQ(States(base, test),
            "mm,[[8]],split,[[8]],cut,renamed\n"
            "mm,[[8]],reduce,[[8]],add_up,renamed\n"
            "mm,[[8]],triton_a_1,[[8]],triton_a_7,renamed\n"
            ",,,,,same\n");
}

TEST(Compare, OtherShapesAndOtherPlaces) {
  JobForDiff base;
  base.Step(1, 100).Work("mm", "gemm", 50).Work("old > op", "special", 30).Work("x", "only", 20);
  JobForDiff test;
  test.Step(1, 150).Work("mm", "gemm", 110, 1, "[[16]]").Work("new > op", "special", 35);
  test.Work("y", "other", 5, 1, "[[2]]");
  EXPECT_EQ(States(base, test),
            "mm,[[8]],gemm,[[16]],gemm,reshaped\n"
            "x,[[8]],only,,,removed\n"
            "new > op,[[8]],special,[[8]],special,moved\n"
            "y,,,[[2]],other,added\n"
            ",,,,,same\n");
}

TEST(Compare, WholeNumbersAreRoundedToTheNearest) {
  EXPECT_EQ(RoundedMean(7, 2), 4);
  EXPECT_EQ(RoundedMean(-7, 2), -4);
  EXPECT_EQ(RoundedMean(10, 3), 3);
  EXPECT_EQ(RoundedMean(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(RoundedMean(5, 0), 0);
}

Table FindingsOf(std::initializer_list<std::tuple<const char*, const char*, double>> rows) {
  const auto& columns = SchemaOf<Findings>();
  auto table = columns.NewTable("findings");
  for (const auto& [id, severity, gain] : rows)
    table.Add({columns.id = id, columns.severity = severity, columns.gain_pct = gain,
               columns.ranks = "0", columns.title = id});
  return table;
}

// What is at its threshold may come and go by chance.
TEST(Compare, FindingsThatAppearedAndWent) {
  const Table base = FindingsOf({{"host-sync", "high", 12},
                                 {"slow-gpu", "medium", 5},
                                 {"gc-pause", "low", 1.2},
                                 {"slow-link", "medium", 4}});
  const Table test = FindingsOf({{"slow-link", "medium", 4.4},
                                 {"slow-gpu", "medium", 9},
                                 {"launch-bound", "low", 2.5},
                                 {"slow-host", "low", 1.1}});
  EXPECT_EQ(Rows(FindingsDiff(&base, &test), {"state", "id", "base_gain_pct", "test_gain_pct"}),
            "appeared,launch-bound,,2.5\n"
            "gone,host-sync,12,\n"
            "changed,slow-gpu,5,9\n"
            "same,slow-link,4,4.4\n"
            "small,gc-pause,1.2,\n"
            "small,slow-host,,1.1\n");
  EXPECT_EQ(FindingsDiff(nullptr, nullptr).row_count(), 0);
  // 2.5 % of TEST's step is half of what TEST takes longer, or not; BASE's 12 % likewise.
  const Table diff = FindingsDiff(&base, &test);
  EXPECT_TRUE(HasFindingFor(diff, 95'000, 100'000));
  EXPECT_FALSE(HasFindingFor(diff, 94'000, 100'000));
  EXPECT_TRUE(HasFindingFor(diff, 100'000, 76'000));
  EXPECT_FALSE(HasFindingFor(diff, 100'000, 75'000));
  EXPECT_FALSE(HasFindingFor(diff, 100'000, 100'000));
}

}  // namespace
}  // namespace rankscope
