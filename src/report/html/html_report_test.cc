#include "report/html/html_report.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "report/base/report_for_test.h"
#include "report/html/html_assets.h"
#include "report/html/html_data.h"
#include "schemas/memory.h"
#include "schemas/stacks.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t Count(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    ++count;
  return count;
}

std::string Data(const Report& report) {
  std::string out;
  AppendHtmlData(out, report);
  return out;
}

// The text of the table's JSON, up to the next table.
std::string_view EmbeddedTable(std::string_view data, std::string_view name) {
  const std::size_t begin = data.find("\n\"" + std::string(name) + "\":");
  if (begin == std::string_view::npos) return {};
  return data.substr(begin, data.find("\n\"", begin + 2) - begin);
}

TEST(HtmlReport, IsOnePageWithItsPolicy) {
  const std::string page = WriteHtmlReport(report_for_test::MakeReport());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(page, HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                              "'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr(ReportScript().text));
  EXPECT_THAT(page, HasSubstr("Copyright (c) 2015-present Jason Miller"));
  // Nothing is loaded: no source, no link, no import.
  for (const std::string_view outside : {" src=", "<link", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST(HtmlReport, AssetsAreNamedByTheirHash) {
  // base64 of 32 bytes: 43 digits and a "=". That the hashes fit is what the browser test sees.
  for (const HtmlAsset* asset : {&ReportScript(), &ReportStyle()}) {
    EXPECT_EQ(asset->sha256.size(), 44u);
    EXPECT_EQ(asset->sha256.back(), '=');
    EXPECT_EQ(asset->text.find('\r'), std::string_view::npos);
  }
}

TEST(HtmlReport, NamesCannotLeaveTheData) {
  report_for_test::Shape shape;
  shape.kernels = {"</script><script>alert(1)</script>", "<!-- \"quote\" '&amp;",
                   "control \x01\x7f\n bidi \xe2\x80\xae bad utf-8 \xff", std::string(10'000, 'x')};
  Report report = report_for_test::MakeReport(shape);
  report.devices = {"</script><b>"};
  const std::string data = Data(report);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_TRUE(std::none_of(data.begin(), data.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n';
  }));
  EXPECT_THAT(data, HasSubstr("\\u003c/script>\\u003cscript>alert(1)\\u003c/script>"));
  EXPECT_THAT(data, HasSubstr("control \\u0001\x7f\\n bidi \xe2\x80\xae bad utf-8 \xef\xbf\xbd"));
  // The data, the page's own script and no other.
  EXPECT_EQ(Count(WriteHtmlReport(report), "</script"), 2u);
}

TEST(HtmlReport, HoldsTheTablesThatItDraws) {
  const Report report = report_for_test::MakeReport();
  const std::string data = Data(report);
  for (const std::string_view name :
       {"step_spread", "job_breakdown", "rank_breakdown", "rank_metrics", "over_ranks",
        "kernels_by_name", "kernel_steps", "copy_bandwidth", "captures", "data_quality"})
    EXPECT_FALSE(EmbeddedTable(data, name).empty()) << name;
  Report with_more = report;
  with_more.tables.push_back(SchemaOf<DeviceStepWindows>().NewTable("device_steps"));
  EXPECT_EQ(Data(with_more), data);
}

// A table of so many rows whose cells are all different, in a page.
std::string PageOf(std::int64_t rows) {
  Report report;
  const auto& columns = SchemaOf<MemoryOverTime>();
  auto table = columns.NewTable("memory_over_time");
  for (std::int64_t row = 0; row < rows; ++row) table.Add({columns.rank = row});
  report.tables.push_back(std::move(table));
  return WriteHtmlReport(report);
}

TEST(HtmlReport, PacksWhatIsLarge) {
  const auto data_of = [](const std::string& page, std::string_view type) {
    const std::string open = fmt::format("<script type=\"application/{}\" id=\"data\">", type);
    const std::size_t begin = page.find(open);
    return begin == std::string::npos
               ? std::string()
               : page.substr(begin + open.size(), page.find('<', begin + 1) - begin - open.size());
  };
  EXPECT_THAT(data_of(PageOf(10), "json"), HasSubstr("\"cells\":[0,1,2,3,"));
  const std::string packed = data_of(PageOf(20'000), "gzip");
  // Letters and no line ends: base64 of gzip's magic, method and no flags.
  EXPECT_THAT(packed, StartsWith("H4sIA"));
  EXPECT_LT(packed.size(), 64'000U);
}

TEST(HtmlReport, ColumnsAreCellsOrADictionary) {
  struct OfThreeTypes : Schema<OfThreeTypes> {
    IntColumn step = Int("step", "", "for a test");
    RealColumn mean_ns = Real("mean_ns", "ns", "for a test");
    FlagColumn inferred = Flag("inferred", "for a test");
  };
  Report report;
  const auto& columns = SchemaOf<OfThreeTypes>();
  auto steps = columns.NewTable("step_spread");
  steps.Add({columns.step = 10, columns.mean_ns = 1.5, columns.inferred = true});
  steps.Add({columns.step = std::int64_t{1} << 60, columns.inferred = true});
  steps.Add({columns.mean_ns = 2, columns.inferred = true});
  report.tables.push_back(steps);
  EXPECT_EQ(EmbeddedTable(Data(report), "step_spread"),
            "\n\"step_spread\":{\"rows\":3,\"columns\":["
            "{\"name\":\"step\",\"type\":\"int64\",\"unit\":\"\",\"doc\":\"for a test\","
            "\"cells\":[10,\"1152921504606846976\",null]},"
            "{\"name\":\"mean_ns\",\"type\":\"double\",\"unit\":\"ns\",\"doc\":\"for a test\","
            "\"cells\":[1.5,null,2]},"
            "{\"name\":\"inferred\",\"type\":\"bool\",\"unit\":\"\",\"doc\":\"for a test\","
            "\"dictionary\":[true],\"index\":[0,0,0]}]}}}\n");
}

TEST(HtmlReport, EmbedsOnlyRowsThatAreDrawn) {
  const std::string data = Data(report_for_test::MakeReport({.ranks = 3, .steps = 6000}));
  // Of copy_bandwidth those over all ranks, of captures those left out, of host_breakdown none.
  EXPECT_THAT(EmbeddedTable(data, "captures"), HasSubstr("{\"rows\":3,\"kept\":[2],"));
  EXPECT_THAT(EmbeddedTable(data, "copy_bandwidth"), HasSubstr("{\"rows\":272,\"kept\":[0,1,2,"));
  EXPECT_THAT(EmbeddedTable(data, "host_breakdown"), HasSubstr("{\"rows\":6,\"kept\":[],"));
  // The last row, over all steps, is kept when the middle is not.
  EXPECT_THAT(EmbeddedTable(data, "step_spread"), HasSubstr(",4997,4998,6000],"));
}

TEST(HtmlReport, DetailsStateTheirOptions) {
  Report report;
  const auto& columns = SchemaOf<MemoryOverTime>();
  auto table = columns.NewTable("memory_over_time");
  table.Add({columns.rank = 0});
  report.tables.push_back(std::move(table));
  EXPECT_THAT(EmbeddedTable(Data(report), "memory_over_time"),
              HasSubstr("{\"rows\":1,\"options\":\"bins=200 devices=4\",\"columns\":["));
}

TEST(HtmlReport, OnlyKernelsHaveShortNames) {
  Report report;
  const auto& columns = SchemaOf<FlameGraph>();
  auto frames = columns.NewTable("flame_graph");
  const std::string_view kernel = "void at::native::softmax<float>(float*)";
  frames.Add({columns.name = kernel, columns.kind = "kernel"});
  frames.Add({columns.name = kernel, columns.kind = "op"});
  frames.Add({columns.name = "(all)"});
  report.tables.push_back(frames);
  EXPECT_THAT(EmbeddedTable(Data(report), "flame_graph"),
              HasSubstr("{\"name\":\"short_name\",\"type\":\"string\",\"unit\":\"\",\"doc\":\"\","
                        "\"dictionary\":[\"softmax\\u003cfloat>\",null],\"index\":[0,1,1]}"));
}

TEST(HtmlReport, HostThreadsOfAJobWithoutDeviceWork) {
  Report report = report_for_test::MakeReport({.ranks = 1});
  report_for_test::Get(report, "job_breakdown").Truncate(0);
  EXPECT_THAT(EmbeddedTable(Data(report), "host_breakdown"), Not(HasSubstr("kept")));
}

TEST(HtmlReport, HoldsFindings) {
  const Report report = report_for_test::WithFindings(report_for_test::MakeFindings());
  const std::string data = Data(report);
  for (const std::string_view name : {"findings", "gains", "replay_fidelity"})
    EXPECT_FALSE(EmbeddedTable(data, name).empty()) << name;
  EXPECT_THAT(data, HasSubstr("\"sentences\":{\"findings\":\"A step takes 23.8 ms; without the "
                              "causes below it would take 18.5 ms (-22.5%).\",\"refusal\":\"\","));
  EXPECT_THAT(data, HasSubstr("\"not_evaluated\":[{\"id\":\"cpu-contention\",\"reason\":\"needs "
                              "telemetry of hosts\"}"));
}

TEST(HtmlReport, MissingAndEmptyTables) {
  EXPECT_THAT(Data(Report{}), testing::EndsWith("\"tables\":{}}\n"));
  Report report = report_for_test::MakeReport();
  for (Table& table : report.tables) table.Truncate(0);
  EXPECT_THAT(EmbeddedTable(Data(report), "rank_metrics"), HasSubstr("\"rows\":0,\"columns\":["));
}

TEST(HtmlReport, AThousandRanksAreAFewMegabytes) {
  const std::string page = WriteHtmlReport(report_for_test::MakeReport({.ranks = 1000}));
  EXPECT_LT(page.size(), 3'000'000u);
}

}  // namespace
}  // namespace rankscope
