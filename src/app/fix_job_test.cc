#include "app/fix_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "schemas/findings.h"

namespace rankscope::app {
namespace {

using testing::SizeIs;

Report ReportWith(std::vector<std::string> devices) {
  const Findings& columns = SchemaOf<Findings>();
  auto findings = columns.NewTable("findings");
  for (const char* id : {"host-sync", "slow-gpu"})
    findings.Add(
        {columns.id = id, columns.gain_pct = 5.0,
         columns.places = R"([{"op":"aten::item","file":"/job/train.py","line":7},{"op":"x"}])"});
  Report report;
  report.devices = std::move(devices);
  report.tables.push_back(std::move(findings));
  return report;
}

TEST(RequestOf, HasFindingsGainsAndLines) {
  const fix::Request request = RequestOf(ReportWith({"NVIDIA H100"}), {});
  ASSERT_THAT(request.findings, SizeIs(2));
  EXPECT_EQ(request.findings[0].id, "host-sync");
  EXPECT_FALSE(request.findings[0].gain.empty());
  ASSERT_THAT(request.findings[0].lines, SizeIs(1));
  EXPECT_EQ(request.findings[0].lines[0].file, "/job/train.py");
  EXPECT_EQ(request.findings[0].lines[0].line, 7);
  EXPECT_THAT(RequestOf(ReportWith({}), {"slow-gpu"}).findings, SizeIs(1));
}

TEST(RequestOf, GoesByTheLeastOfTheDevices) {
  const auto ability = [](std::vector<std::string> devices) {
    return RequestOf(ReportWith(std::move(devices)), {}).device;
  };
  EXPECT_TRUE(ability({}).has_tf32);
  EXPECT_TRUE(ability({"NVIDIA H100"}).has_bf16);
  EXPECT_FALSE(ability({"NVIDIA H100", "Tesla V100-SXM2-16GB"}).has_bf16);
  EXPECT_FALSE(ability({"AMD Instinct MI300X"}).has_tf32);
  EXPECT_TRUE(ability({"AMD Instinct MI300X"}).is_cuda);
  EXPECT_FALSE(ability({"AMD Instinct MI300X"}).is_nvidia);
  EXPECT_FALSE(ability({"Ascend910B"}).is_cuda);
}

}  // namespace
}  // namespace rankscope::app
