#include "report/json_report.h"

#include <gmock/gmock.h>
#include <simdjson.h>

#include "report/report_for_test.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::WithFindings;
using simdjson::dom::element;

// Parsed, which every report can be.
class ParsedReport {
 public:
  explicit ParsedReport(const Report& report)
      : text_(WriteJsonReport(report)), root_(parser_.parse(text_)) {}
  element operator[](std::string_view pointer) const { return root_.at_pointer(pointer).value(); }

 private:
  std::string text_;
  simdjson::dom::parser parser_;
  element root_;
};

std::string Text(const element& value) { return simdjson::to_string(value); }

TEST(JsonReport, Findings) {
  const ParsedReport report(WithFindings(MakeFindings()));
  EXPECT_EQ(Text(report["/findings/0"]),
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
            R"("where":[{"op":"aten::mm","module":"Block_0.mlp","ns":2100000}],)"
            R"("evidence":[{"table":"kernels_by_rank","rows":[{"rank":2,"mean_ns":100000},)"
            R"({"rank":3,"mean_ns":130000},{"rank":4,"mean_ns":101000}]},)"
            R"({"rank":3,"capture":0,"event":1234}]})");
  // What is not known is null, a list of nothing is empty.
  EXPECT_EQ(Text(report["/findings/1/gain_pct"]), "null");
  EXPECT_EQ(Text(report["/findings/1/time_to_failure_ns"]), "4680000000000");
  EXPECT_EQ(Text(report["/findings/1/steps"]), "[]");
  EXPECT_EQ(Text(report["/findings/1/where"]), "[]");
  EXPECT_EQ(Text(report["/findings/2/steps"]), "[10,12,13,14]");
  EXPECT_EQ(Text(report["/not_evaluated/2"]),
            R"({"id":"underused-gpu","reason":"needs telemetry of devices"})");
}

TEST(JsonReport, TheJobsGainsAndReplay) {
  const ParsedReport report(WithFindings(MakeFindings()));
  EXPECT_EQ(Text(report["/job/bottleneck"]), "\"gpu-compute\"");
  EXPECT_EQ(Text(report["/job/combined_gain_pct"]), "22.5");
  EXPECT_EQ(Text(report["/job/replay"]),
            R"({"error_pct":0.4,"prediction_error_pct":1.9,"unexplained_pct":2.25,)"
            R"("refused_reason":null})");
}

TEST(JsonReport, ARefusedReplay) {
  const ParsedReport report(
      WithFindings(MakeFindings(), {}, SchemaOf<Gains>().NewTable("gains"),
                   report_for_test::MakeFidelity(std::string_view("too far off"))));
  EXPECT_EQ(Text(report["/job/bottleneck"]), "null");
  EXPECT_EQ(Text(report["/job/combined_gain_pct"]), "null");
  EXPECT_EQ(Text(report["/job/replay/refused_reason"]), "\"too far off\"");
}

TEST(JsonReport, WhereNoRuleRan) {
  const ParsedReport report(report_for_test::MakeReport());
  EXPECT_EQ(Text(report["/findings"]), "[]");
  EXPECT_EQ(Text(report["/job/replay"]), "null");
  EXPECT_EQ(Text(report["/job/bottleneck"]), "null");
  EXPECT_EQ(Text(report["/not_evaluated"]),
            R"([{"id":"slow-gpu","reason":"this version has no rule for it"}])");
}

}  // namespace
}  // namespace rankscope
