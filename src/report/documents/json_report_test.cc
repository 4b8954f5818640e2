#include "report/documents/json_report.h"

#include <gmock/gmock.h>

#include "json/reader.h"
#include "report/base/report_for_test.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::WithFindings;

// Parsed, which every report can be.
json::Reader Parsed(const Report& report) {
  Result<json::Reader> reader = json::Reader::Parse(WriteJsonReport(report));
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  return std::move(*reader);
}

TEST(JsonReport, Findings) {
  const json::Reader report = Parsed(WithFindings(MakeFindings()));
  const json::Value root = report.root();
  EXPECT_EQ(root["findings"].At(0).ToString(),
            R"({"id":"slow-gpu","severity":"high","confidence":0.9,"ranks":[3],)"
            R"("steps":[10,11,12,13,14,15,16,17],"time_lost_ns":5100000,"gain_pct":18.25,)"
            R"("gain_unprofiled_pct":null,)"
            R"("gain_ns":4345000,"gain_method":"replay","time_to_failure_ns":null,)"
            R"("title":"Rank 3's device takes 1.3 times as long for the same kernels as its peers )"
            R"(do; 7 ranks wait for it.",)"
            R"("why":"Kernels of equal name and shapes were compared with ranks 0-2 and 4-7.",)"
            R"("who":"rank 3","recommendation":"Look at clocks, power and temperature of that )"
            R"(device:\nnvidia-smi -i 3 -q -d CLOCK,PERFORMANCE\nThen drain the host.",)"
            R"("command":"rankscope table kernels_by_rank TRACES --set metric=mean",)"
            R"("where":[{"op":"aten::mm","module":"Block_0.mlp","ns":2100000,"own_ns":2100000}],)"
            R"("evidence":[{"table":"kernels_by_rank","rows":[{"rank":2,"mean_ns":100000},)"
            R"({"rank":3,"mean_ns":130000},{"rank":4,"mean_ns":101000}]},)"
            R"({"rank":3,"capture":0,"event":1234}]})");
  // What is not known is null, a list of nothing is empty.
  EXPECT_EQ(root["findings"].At(1)["gain_pct"].ToString(), "null");
  EXPECT_EQ(root["findings"].At(1)["time_to_failure_ns"].ToString(), "4680000000000");
  EXPECT_EQ(root["findings"].At(1)["steps"].ToString(), "[]");
  EXPECT_EQ(root["findings"].At(1)["where"].ToString(), "[]");
  EXPECT_EQ(root["findings"].At(2)["steps"].ToString(), "[10,12,13,14]");
  EXPECT_EQ(root["not_evaluated"].At(2).ToString(),
            R"({"id":"underused-gpu","reason":"needs telemetry of devices"})");
}

TEST(JsonReport, TheJobsGainsAndReplay) {
  const json::Reader report = Parsed(WithFindings(MakeFindings()));
  const json::Value root = report.root();
  EXPECT_EQ(root["job"]["bottleneck"].ToString(), "\"gpu-compute\"");
  EXPECT_EQ(root["job"]["combined_gain_pct"].ToString(), "22.5");
  EXPECT_EQ(root["job"]["replay"].ToString(),
            R"({"error_pct":0.4,"prediction_error_pct":1.9,"unexplained_pct":2.25,)"
            R"("refused_reason":null})");
}

TEST(JsonReport, ARefusedReplay) {
  const json::Reader report =
      Parsed(WithFindings(MakeFindings(), {}, SchemaOf<Gains>().NewTable("gains"),
                          report_for_test::MakeFidelity(std::string_view("too far off"))));
  const json::Value root = report.root();
  EXPECT_EQ(root["job"]["bottleneck"].ToString(), "null");
  EXPECT_EQ(root["job"]["combined_gain_pct"].ToString(), "null");
  EXPECT_EQ(root["job"]["replay"]["refused_reason"].ToString(), "\"too far off\"");
}

TEST(JsonReport, WhereNoRuleRan) {
  const json::Reader report = Parsed(report_for_test::MakeReport());
  const json::Value root = report.root();
  EXPECT_EQ(root["findings"].ToString(), "[]");
  EXPECT_EQ(root["job"]["replay"].ToString(), "null");
  EXPECT_EQ(root["job"]["bottleneck"].ToString(), "null");
  EXPECT_EQ(root["not_evaluated"].ToString(),
            R"([{"id":"slow-gpu","reason":"this version has no rule for it"}])");
}

}  // namespace
}  // namespace rankscope
