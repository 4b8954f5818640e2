#include "fleet/questions/regressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fleet/questions/rows_sql_for_test.h"
#include "fleet/simulate/simulate_fleet.h"
#include "json/reader.h"

namespace rankscope::fleet {
namespace {

using ::testing::HasSubstr;

struct Simulated {
  TableOf<FleetRegressions> changes;
  std::string truth;
};

Simulated FindIn(std::uint64_t seed, std::vector<Plant> plants) {
  FleetSimulation options{.days = 45, .models = 4, .runs_per_day = 12, .seed = seed};
  options.plants = std::move(plants);
  RowsSql sql;
  const Result<std::string> truth =
      SimulateFleet(options, [&](const std::string&, const FleetRows& rows) {
        sql.Add(rows);
        return OkStatus();
      });
  EXPECT_TRUE(truth.ok()) << truth.status().message();
  Result<TableOf<FleetRegressions>> changes = FindRegressions(sql, {.data = "/data"});
  EXPECT_TRUE(changes.ok()) << changes.status().message();
  return {*std::move(changes), *truth};
}

const FleetRegressions& Columns() { return SchemaOf<FleetRegressions>(); }

std::string Describe(const TableOf<FleetRegressions>& rows) {
  std::string text;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    text += std::string(rows.String(row, Columns().kind)) + " " +
            std::string(rows.String(row, Columns().kernel_key)) + " " +
            std::string(rows.TextOrEmpty(row, Columns().model)) + " since " +
            std::string(rows.String(row, Columns().since)) + " cause " +
            std::string(rows.TextOrEmpty(row, Columns().cause)) + " " +
            std::to_string(rows.Int(row, Columns().after_ns)) + " ns\n";
  }
  return text;
}

// Kernels of a kind, each once.
std::set<std::string> KeysOf(const TableOf<FleetRegressions>& rows, std::string_view kind) {
  std::set<std::string> keys;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.String(row, Columns().kind) == kind)
      keys.insert(std::string(rows.String(row, Columns().kernel_key)));
  }
  return keys;
}

TEST(Regressions, AShiftOfTheMixtureIsNone) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Simulated found = FindIn(seed, {{PlantKind::kMixShift}});
    EXPECT_EQ(found.changes.row_count(), 0) << "seed " << seed << "\n" << Describe(found.changes);
  }
}

TEST(Regressions, ModelsThatAreRunWithOtherShapesAreNone) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Simulated found = FindIn(seed, {{PlantKind::kNewShapes}, {PlantKind::kMixShift}});
    EXPECT_EQ(found.changes.row_count(), 0) << "seed " << seed << "\n" << Describe(found.changes);
  }
}

TEST(Regressions, APlantedOneIsFoundWithItsCause) {
  for (const char* cause : {"driver", "framework", "image"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Simulated found =
          FindIn(seed, {{PlantKind::kRegression, cause}, {PlantKind::kMixShift}});
      const auto truth = json::Reader::Parse(found.truth);
      ASSERT_TRUE(truth.ok());
      const json::Value planted = truth->root()["plants"].At(0);
      const std::set<std::string> keys = KeysOf(found.changes, "regression");
      EXPECT_EQ(keys, std::set<std::string>{planted["kernel_key"].TextOr("")})
          << cause << ", seed " << seed << "\n"
          << Describe(found.changes) << found.truth;
      ASSERT_GT(found.changes.row_count(), 0);
      for (std::size_t row = 0; row < found.changes.row_count(); ++row) {
        EXPECT_EQ(found.changes.TextOrEmpty(row, Columns().cause), planted["cause"].TextOr(""));
        EXPECT_NEAR(found.changes.Double(row, Columns().change_pct),
                    planted["change_pct"].Number().value(), 3)
            << cause << " seed " << seed << "\n"
            << Describe(found.changes) << found.truth;
        EXPECT_THAT(found.changes.String(row, Columns().device_model), HasSubstr("H100"));
        EXPECT_LE(found.changes.Double(row, Columns().q), 0.05);
      }
    }
  }
}

TEST(Regressions, WorkThatMovesIsACostShift) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Simulated found = FindIn(seed, {{PlantKind::kRefactoring}});
    EXPECT_TRUE(KeysOf(found.changes, "regression").empty()) << "seed " << seed << "\n"
                                                             << Describe(found.changes);
    const auto truth = json::Reader::Parse(found.truth);
    ASSERT_TRUE(truth.ok());
    EXPECT_EQ(KeysOf(found.changes, "cost shift"),
              std::set<std::string>{truth->root()["plants"].At(0)["kernel_key"].TextOr("")})
        << "seed " << seed << "\n"
        << Describe(found.changes) << found.truth;
  }
}

TEST(Regressions, ANewKernelIsTold) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Simulated found = FindIn(seed, {{PlantKind::kNewKernel}});
    EXPECT_TRUE(KeysOf(found.changes, "regression").empty()) << Describe(found.changes);
    EXPECT_EQ(KeysOf(found.changes, "new kernel"),
              std::set<std::string>{"triton_per_fused_new_7_*"})
        << "seed " << seed << "\n"
        << Describe(found.changes) << found.truth;
  }
}

TEST(Regressions, ARowLeadsToRuns) {
  const Simulated found = FindIn(1, {{PlantKind::kRegression, "driver"}});
  ASSERT_GT(found.changes.row_count(), 0);
  EXPECT_THAT(found.changes.String(0, Columns().command),
              ::testing::MatchesRegex("rankscope store get [0-9a-f]+ --data /data -o before && "
                                      "rankscope store get [0-9a-f]+ --data /data -o after && "
                                      "rankscope diff before/traces after/traces"));
}

TEST(Regressions, NoRunsNoChanges) {
  RowsSql sql;
  const auto changes = FindRegressions(sql, {});
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ(changes->row_count(), 0);
}

TEST(SimulateFleet, RefusesWhatMakesNoFleet) {
  const auto nothing = [](const std::string&, const FleetRows&) { return OkStatus(); };
  EXPECT_EQ(SimulateFleet({.since = "2026-02-30"}, nothing).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(SimulateFleet({.models = 1}, nothing).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(ParsePlant("regresion").status().message(), HasSubstr("regression, "));
  EXPECT_EQ(ParsePlant("mix-shift:driver").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ParsePlant("regression:image")->cause, "image");
}

}  // namespace
}  // namespace rankscope::fleet
