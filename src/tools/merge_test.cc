#include "tools/merge.h"

#include <gmock/gmock.h>

#include "tools/split.h"
#include "tools/tools_for_test.h"

namespace rankscope::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string TraceOf(int rank, std::string_view events) {
  return "{\"distributedInfo\": {\"rank\": " + std::to_string(rank) +
         "}, \"baseTimeNanoseconds\": 1000,\n\"traceEvents\": [" + std::string(events) +
         "], \"end\": 1.50}";
}

class MergeTest : public ToolsTest {
 protected:
  void Merge(const std::vector<std::string>& paths, const std::string& to,
             std::int64_t offset_of_1 = 0) {
    std::vector<std::string> losses;
    auto traces = TracesOf(paths, 2, losses);
    ASSERT_TRUE(traces.ok()) << traces.status().message();
    EXPECT_TRUE(losses.empty());
    const auto written = MergeTraces(
        std::move(*traces),
        [&](const TraceToWrite& trace) {
          return trace.document.rank == 1 ? ClockOffset{offset_of_1, 3000} : ClockOffset();
        },
        to, 2);
    ASSERT_TRUE(written.ok()) << written.status().message();
  }
  static std::vector<std::string> PartOf(const std::string& path, std::size_t part) {
    auto source = kineto::OpenTraceSource(path, static_cast<int>(part));
    EXPECT_TRUE(source.ok()) << source.status().message();
    return EventsOf(**source);
  }
};

TEST_F(MergeTest, ProcessesTimesAndArrowsAreDistinctAndReadBack) {
  const std::vector<std::string> first = {
      R"({"ph":"M","name":"process_name","pid":12,"args":{"name":"python"}})",
      R"({"ph":"X","name":"a","pid":12,"tid":1,"ts":5.2500,"dur":1})",
      R"({"ph":"s","name":"f","id":3,"pid":12,"tid":1,"ts":6})",
      R"({"ph":"X","name":"odd","pid":"Spans","tid":"x","ts":"7.5","id":"abc"})",
      R"({"ph":"i","name":"none","ts":8})",
      R"({})",
      R"({"ph":"i","pid":"12","ts":9})",
      R"({"ph":"i","pid":12,"ts":9})"};
  const std::vector<std::string> second = {
      R"({"ph":"s","name":"f","id":3,"pid":12,"tid":1,"ts":-0.001})",
      R"({"ph":"X","name":"big","id":18446744073709551615,"pid":12,"ts":1e3})"};
  const auto join = [](const std::vector<std::string>& events) {
    std::string text;
    for (const std::string& event : events) text += (text.empty() ? "" : ",") + event;
    return text;
  };
  const std::string a = Write("a.json", TraceOf(0, join(first)));
  const std::string b = Write("b.json", TraceOf(1, join(second)));
  // The clock of rank 1 is 2.4 us ahead: rounded to whole microseconds.
  Merge({b, a}, Path("m.json.zst"), 2400);
  EXPECT_THAT(
      EventsOf(Path("m.json.zst")),
      ElementsAre(
          R"({"ph":"M","name":"process_name","pid":1000,"args":{"name":"rank 0: python"}})",
          R"({"ph":"X","name":"a","pid":1000,"tid":1,"ts":5.2500,"dur":1})",
          R"({"ph":"s","name":"f","id":6,"pid":1000,"tid":1,"ts":6})",
          R"({"ph":"X","name":"odd","pid":1002,"tid":"x","ts":"7.5","id":"m0s:abc"})",
          R"({"pid":1003,"ph":"i","name":"none","ts":8})", R"({"pid":1003})",
          R"({"ph":"i","pid":1001,"ts":9})", R"({"ph":"i","pid":1000,"ts":9})",
          R"({"ph":"s","name":"f","id":7,"pid":2000,"tid":1,"ts":-2.001})",
          R"({"ph":"X","name":"big","id":"m1n:18446744073709551615","pid":2000,"ts":1e3})"));
  EXPECT_EQ(PartOf(Path("m.json.zst"), 0), first);
  EXPECT_EQ(PartOf(Path("m.json.zst"), 1), second);

  const auto parts = kineto::ReadParts(Path("m.json.zst"));
  ASSERT_TRUE(parts.ok());
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[1].name, "b.json");
  EXPECT_EQ((*parts)[1].rank, 1);
  EXPECT_EQ((*parts)[1].offset_ns, 2000);
  EXPECT_EQ((*parts)[1].uncertainty_ns, 3000);
  EXPECT_THAT((*parts)[1].values,
              ElementsAre(std::pair("distributedInfo", "{\"rank\": 1}"),
                          std::pair("baseTimeNanoseconds", "1000"), std::pair("end", "1.50")));

  // Merged again with another trace, the parts are taken apart first.
  const std::string c = Write("c.json", TraceOf(2, R"({"ph":"i","pid":1,"ts":1})"));
  Merge({c, Path("m.json.zst")}, Path("n.json"));
  EXPECT_EQ(PartOf(Path("n.json"), 0), first);
  EXPECT_EQ(PartOf(Path("n.json"), 1), second);
}

TEST_F(MergeTest, DamagedDescriptionsAreRefused) {
  for (
      const char* text :
      {R"({"rankscope.merged": {"version": 1, "parts": 2}, "traceEvents": []})",
       R"({"rankscope.merged": {"version": 9, "parts": 0}, "traceEvents": []})",
       R"({"rankscope.merged": 5, "traceEvents": []})",
       R"({"rankscope.merged": {"version": 1, "parts": 1}, "rankscope.part.0": {"name": 1}, "traceEvents": []})"}) {
    const auto parts = kineto::ReadParts(Write("d.json", text));
    ASSERT_FALSE(parts.ok()) << text;
    EXPECT_THAT(parts.status().message(), HasSubstr("merge the traces again"));
  }
}

// Steps 1 and 2; the kernel of step 1's launch runs in step 2.
constexpr std::string_view kSteps = R"([
  {"ph":"X","cat":"cpu_op","name":"early","pid":1,"tid":1,"ts":1,"dur":1},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":10,"dur":10},
  {"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
  {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":1,"ts":25,"dur":1,"args":{"correlation":4}},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":20,"dur":10},
  {"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":12,"dur":1,"args":{"correlation":4}},
  {"ph":"X","cat":"cpu_op","name":"late","pid":1,"tid":1,"ts":90,"dur":1}
])";

TEST_F(MergeTest, PiecesByStepBecomeTheWholeAgain) {
  const std::string in = Write("t.json", kSteps);
  const auto report = SplitTrace(in, Path("pieces"), {.piece_bytes = 0, .threads = 2});
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_EQ(report->files.size(), 4U);
  const auto names = [&](const std::string& file) {
    std::string found;
    for (const std::string& event : EventsOf(Path("pieces/" + file))) {
      const std::size_t at = event.find("\"name\":\"") + 8;
      found += event.substr(at, event.find('"', at) - at) + " ";
    }
    return found;
  };
  EXPECT_EQ(names("t.before.json"), "process_name early ");
  EXPECT_EQ(names("t.step1.json"), "ProfilerStep#1 process_name k l ");
  EXPECT_EQ(names("t.step2.json"), "process_name ProfilerStep#2 ");
  EXPECT_EQ(names("t.after.json"), "process_name late ");
  Merge(report->files, Path("whole.json"));
  EXPECT_EQ(EventsOf(Path("whole.json")), EventsOf(in));
  EXPECT_EQ(TextOf(Path("whole.json")).front(), '[') << "a bare list, as it was";
}

TEST_F(MergeTest, PiecesBySizeBecomeTheWholeAgain) {
  std::string events;
  for (int i = 0; i < 3000; ++i) {
    if (i > 0) events += ",\n";
    events += i % 700 == 5
                  ? R"({"ph":"M","name":"thread_name","pid":1,"tid":)" + std::to_string(i) + "}"
                  : R"({"ph":"i","name":"e","pid":1,"ts":)" + std::to_string(i) + "}";
  }
  const std::string in = Write("t.json", TraceOf(0, events));
  const auto report = SplitTrace(in, Path("pieces"), {.piece_bytes = 40'000, .threads = 2});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_GE(report->files.size(), 3U);
  Merge(report->files, Path("whole.json.gz"));
  EXPECT_EQ(EventsOf(Path("whole.json.gz")), EventsOf(in));
  EXPECT_THAT(TextOf(Path("whole.json.gz")), HasSubstr("\"end\": 1.50"));
  EXPECT_THAT(SplitTrace(report->files[0], Path("again"), {.piece_bytes = 1000, .threads = 1})
                  .status()
                  .message(),
              HasSubstr("a piece already"));
}

}  // namespace
}  // namespace rankscope::tools
