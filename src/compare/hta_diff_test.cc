#include "compare/hta_diff.h"

#include <gtest/gtest.h>

#include "schemas/hta_diff.h"
#include "table/cells_for_test.h"

namespace rankscope {
namespace {

const HtaOpsSummary& kOps = SchemaOf<HtaOpsSummary>();

void Add(TableOf<HtaOpsSummary>& table, std::int64_t iteration, const char* device,
         const char* name, std::int64_t counts, std::int64_t duration) {
  table.Add({kOps.rank = 2, kOps.iteration = iteration, kOps.device_type = device, kOps.name = name,
             kOps.counts = counts, kOps.total_duration = duration});
}

class HtaDiff : public testing::Test {
 protected:
  HtaDiff() {
    Add(control, -1, "CPU", "import", 1, 1);
    Add(control, 5, "CPU", "aten::mm", 2, 30);
    Add(control, 5, "GPU", "gemm", 2, 50);
    Add(control, 6, "CPU", "aten::mm", 9, 90);
    Add(test, 5, "CPU", "aten::mm", 3, 20);
    Add(test, 5, "CPU", "graph", 1, 4);
  }
  std::string Diff(const std::map<std::string, std::string, std::less<>>& by_name) {
    const auto options = ParseHtaDiffOptions(by_name);
    if (!options.ok()) return std::string(options.status().message());
    const auto table = HtaTraceDiffOf(control, test, *options);
    if (!table.ok()) return std::string(table.status().message());
    return Rows(*table, {"name", "Control_counts", "Test_counts", "diff_duration",
                         "counts_change_categories"});
  }
  TableOf<HtaOpsSummary> control = kOps.NewTable("ops");
  TableOf<HtaOpsSummary> test = kOps.NewTable("ops");
};

TEST_F(HtaDiff, ByNameOfTheFirstIteration) {
  EXPECT_EQ(Diff({}), "aten::mm,2,3,-10,+\ngemm,2,0,-50,-\ngraph,0,1,4,+\n");
  EXPECT_EQ(Diff({{"device_type", "DeviceType.GPU"}}), "gemm,2,0,-50,-\n");
  EXPECT_EQ(Diff({{"control_iteration", "6"}, {"device_type", "CPU"}}),
            "aten::mm,9,3,-70,-\ngraph,0,1,4,+\n");
}

TEST_F(HtaDiff, OpsAreInOneCategory) {
  const Table table = HtaTraceDiffOf(control, test, {}).value();
  EXPECT_EQ(Rows(HtaOpsDiffOf(table), {"category", "name"}),
            "added,graph\ndeleted,gemm\nincreased,aten::mm\n");
}

TEST_F(HtaDiff, WhatIsNotThereIsSaid) {
  EXPECT_EQ(Diff({{"test_rank", "7"}}), "TEST has no rank 7");
  EXPECT_EQ(Diff({{"control_iteration", "8"}}), "BASE has no iteration 8");
  EXPECT_EQ(Diff({{"test_rank", "x"}}), "option test_rank must be a whole number, not 'x'");
  EXPECT_EQ(Diff({{"device_type", "TPU"}}), "device_type must be ALL, CPU or GPU, not 'TPU'");
}

}  // namespace
}  // namespace rankscope
