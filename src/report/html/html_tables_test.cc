#include "report/html/html_tables.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "schemas/across.h"
#include "schemas/layout.h"
#include "schemas/memory.h"
#include "schemas/ops.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

const DrawnTable& Drawn(std::string_view name) {
  return *std::ranges::find(DrawnTables(), name, &DrawnTable::name);
}

std::vector<std::size_t> Chosen(const Table& table) {
  return Drawn(table.name()).choose(Report{}, table);
}

TEST(DrawnTables, AreNamedOnceAndStateTheirOptions) {
  std::set<std::string_view> names;
  for (const DrawnTable& table : DrawnTables()) EXPECT_TRUE(names.insert(table.name).second);
  EXPECT_TRUE(OptionsOf(Drawn("flame_graph")).empty());
  EXPECT_THAT(OptionsOf(Drawn("memory_over_time")),
              ElementsAre(Pair("bins", "200"), Pair("devices", "4")));
  for (const DrawnTable& table : DrawnTables()) {
    EXPECT_TRUE(table.options.empty() || table.is_detail) << table.name;
  }
}

TEST(DrawnTables, OpsByAnyOfTheirTimes) {
  const auto& columns = SchemaOf<OpsByName>();
  auto ops = columns.NewTable("ops_by_name");
  for (std::int64_t i = 0; i < 500; ++i) {
    ops.Add({columns.name = "op", columns.device_self_ns = 1000 - i,
             columns.device_total_ns = 1000 - i, columns.host_self_ns = i,
             columns.host_total_ns = 500 - (i % 7)});
  }
  const auto chosen = Chosen(ops);
  EXPECT_THAT(chosen, Contains(0));
  EXPECT_THAT(chosen, Contains(499));  // the most time on the host
  EXPECT_THAT(chosen, Contains(441));  // among the most in total: 441 % 7 = 0
  EXPECT_THAT(chosen, Not(Contains(250)));
  EXPECT_LE(chosen.size(), 240u);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
}

TEST(DrawnTables, StepsOfRanksUnlessTheyAreTooMany) {
  const auto& columns = SchemaOf<StepTimes>();
  auto steps = columns.NewTable("step_times");
  for (std::int64_t i = 0; i < 20'000; ++i) steps.Add({columns.rank = i, columns.step = 1});
  EXPECT_THAT(Chosen(steps), SizeIs(20'000));
  steps.Add({columns.rank = 20'000, columns.step = 1});
  EXPECT_THAT(Chosen(steps), SizeIs(0));
}

TEST(DrawnTables, RooflineKeepsWhatHasNoModel) {
  const auto& columns = SchemaOf<Roofline>();
  auto roofline = columns.NewTable("roofline");
  for (std::int64_t i = 0; i < 1000; ++i) {
    roofline.Add({columns.op = "mm", columns.device_ns = 10'000 - i,
                  columns.headroom_ns = i == 900 ? Value(std::int64_t{7}) : kNull});
  }
  roofline.Add({columns.device_ns = 1});
  const auto chosen = Chosen(roofline);
  EXPECT_THAT(chosen, SizeIs(202));  // 200 with the most time, one to gain from, one without model
  EXPECT_THAT(chosen, Contains(900));
  EXPECT_THAT(chosen, Contains(1000));
}

TEST(DrawnTables, UtilisationOfSixDevices) {
  const auto& columns = SchemaOf<FlopUtilisation>();
  auto steps = columns.NewTable("flop_utilisation");
  const auto add = [&](std::int64_t rank, Value step, Value hfu, bool complete) {
    steps.Add({columns.rank = rank, columns.capture = 0, columns.device = 0, columns.step = step,
               columns.hfu_pct = hfu, columns.complete = complete});
  };
  // Rank r has (r * 7) % 11 %: rank 0 is the lowest, rank 3 the highest.
  for (std::int64_t rank = 0; rank < 11; ++rank) {
    const auto hfu = static_cast<double>(rank * 7 % 11);
    add(rank, std::int64_t{1}, hfu, false);
    add(rank, std::int64_t{2}, hfu, true);
    add(rank, std::int64_t{3}, rank == 0 ? kNull : Value(hfu), true);
    add(rank, kNull, hfu, true);
  }
  std::set<std::int64_t> ranks;
  for (const std::size_t row : Chosen(steps)) {
    ranks.insert(steps.Int(row, columns.rank));
    const std::int64_t step = steps.Int(row, columns.step);
    EXPECT_TRUE(step == 2 || step == 3);
  }
  // 0, 2, 4, 6, 8 and 10 %.
  EXPECT_THAT(ranks, ElementsAre(0, 3, 4, 5, 9, 10));
  EXPECT_THAT(Chosen(steps), SizeIs(12));
}

TEST(DrawnTables, TheHighestWindowOfEveryDevice) {
  const auto& columns = SchemaOf<MemoryPeaks>();
  auto peaks = columns.NewTable("memory_peaks");
  const auto add = [&](std::int64_t rank, std::string_view type, Value device, Value peak) {
    peaks.Add({columns.rank = rank, columns.capture = 0, columns.device_type = type,
               columns.device = device, columns.step = 1, columns.peak_bytes = peak});
  };
  add(0, "cuda", std::int64_t{0}, kNull);
  add(0, "cuda", std::int64_t{0}, std::int64_t{5});
  add(0, "cuda", std::int64_t{0}, std::int64_t{5});
  add(0, "cpu", kNull, std::int64_t{9});
  add(1, "cuda", std::int64_t{0}, std::int64_t{3});
  add(1, "cuda", std::int64_t{1}, std::int64_t{2});
  add(1, "cuda", std::int64_t{0}, std::int64_t{4});
  EXPECT_THAT(Chosen(peaks), ElementsAre(1, 3, 5, 6));
}

TEST(DrawnTables, GrowthWhereThereIsAny) {
  const auto& columns = SchemaOf<MemoryGrowth>();
  auto growth = columns.NewTable("memory_growth");
  const auto add = [&](std::int64_t rank, std::int64_t bytes, double per_step) {
    growth.Add(
        {columns.rank = rank, columns.growth_bytes = bytes, columns.bytes_per_step = per_step});
  };
  for (std::int64_t rank = 0; rank < 16; ++rank) add(rank, 0, 0);
  EXPECT_THAT(Chosen(growth), SizeIs(16));
  add(16, 100, 20);
  add(17, -100, -20);
  EXPECT_THAT(Chosen(growth), ElementsAre(16));
}

TEST(DrawnTables, WholeMatricesOfSmallGroups) {
  const auto& columns = SchemaOf<AllToAll>();
  auto matrix = columns.NewTable("all_to_all");
  const auto add_group = [&](std::string_view kind, std::int64_t first, std::int64_t ranks) {
    for (std::int64_t from = first; from < first + ranks; ++from) {
      for (std::int64_t to = first; to < first + ranks; ++to) {
        matrix.Add({columns.groups = kind, columns.source_rank = from,
                    columns.destination_rank = to, columns.bytes = 1});
      }
    }
  };
  add_group("large", 0, 65);
  EXPECT_THAT(Chosen(matrix), SizeIs(0));
  for (std::int64_t group = 0; group < 3; ++group) add_group("full", 64 * group, 64);
  add_group("small", 0, 2);
  const auto chosen = Chosen(matrix);
  EXPECT_THAT(chosen, SizeIs(3 * 64 * 64 + 4));
  EXPECT_THAT(chosen, Not(Contains(65 * 65 - 1)));
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
  // What has no room is left out as a whole.
  for (std::int64_t group = 3; group < 9; ++group) add_group("full", 64 * group, 64);
  EXPECT_THAT(Chosen(matrix), SizeIs(4 * 64 * 64));
}

TEST(DrawnTables, TheFrontOfALongSchedule) {
  const auto& columns = SchemaOf<PipelineSchedule>();
  auto passes = columns.NewTable("pipeline_schedule");
  for (std::int64_t stage = 0; stage < 2; ++stage) {
    for (std::int64_t i = 0; i < 40'000; ++i)
      passes.Add({columns.stage = stage, columns.start_ns = 10 * i + stage});
  }
  const auto chosen = Chosen(passes);
  EXPECT_THAT(chosen, SizeIs(70'000));
  EXPECT_THAT(chosen, Contains(34'999));
  EXPECT_THAT(chosen, Not(Contains(35'000)));
  EXPECT_THAT(chosen, Contains(40'000 + 34'999));
}

TEST(DrawnTables, AllocatorCallsOfSteadyStateFirst) {
  const auto& columns = SchemaOf<AllocatorCalls>();
  auto calls = columns.NewTable("allocator_calls");
  for (std::int64_t i = 0; i < 150; ++i) {
    calls.Add({columns.steady = i >= 140, columns.total_ns = 1'000'000,
               columns.idle_ns = i < 140 ? Value(1'000'000 - i) : Value(kNull)});
  }
  const auto chosen = Chosen(calls);
  EXPECT_THAT(chosen, SizeIs(100));
  for (std::size_t row = 140; row < 150; ++row) EXPECT_THAT(chosen, Contains(row));
  EXPECT_THAT(chosen, Not(Contains(100)));
}

}  // namespace
}  // namespace rankscope
