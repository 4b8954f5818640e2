#include "tools/filter.h"

#include <gmock/gmock.h>

#include "tools/tools_for_test.h"

namespace rankscope::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two steps, 1 at 0-100 us, 2 from 100 us on. In each a launch whose kernel runs in step 2; an
// arrow leads from op fwd in step 1 to bwd in step 2.
constexpr std::string_view kTrace = R"({
  "schemaVersion": 1, "big": 18446744073709551615,
  "traceEvents": [
  {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python"}},
  {"ph":"X","cat":"python_function","name":"main","pid":7,"tid":7,"ts":0,"dur":300},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":7,"tid":7,"ts":0,"dur":100},
  {"ph":"X","cat":"cpu_op","name":"fwd","pid":7,"tid":7,"ts":10.500,"dur":20,"args":{"odd":1e2, "x":9007199254740993}},
  {"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":5,"pid":7,"tid":7,"ts":10.500},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":20,"dur":5,"args":{"correlation":11}},
  {"ph":"s","cat":"ac2g","name":"ac2g","id":11,"pid":7,"tid":7,"ts":20},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":7,"tid":7,"ts":100,"dur":100},
  {"ph":"X","cat":"cpu_op","name":"bwd","pid":7,"tid":7,"ts":110,"dur":20},
  {"ph":"f","bp":"e","cat":"fwdbwd","name":"fwdbwd","id":5,"pid":7,"tid":7,"ts":110},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":120,"dur":5,"args":{"correlation":12}},
  {"ph":"s","cat":"ac2g","name":"ac2g","id":12,"pid":7,"tid":7,"ts":120},
  {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":3,"ts":130,"dur":10,"args":{"correlation":11,"stream":3}},
  {"ph":"f","cat":"ac2g","name":"ac2g","id":11,"pid":0,"tid":3,"ts":130},
  {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":4,"ts":140,"dur":30,"args":{"correlation":12,"stream":4}},
  {"ph":"f","cat":"ac2g","name":"ac2g","id":12,"pid":0,"tid":4,"ts":140},
  {"ph":"B","cat":"b","name":"pair","pid":7,"tid":9,"ts":30},
  {"ph":"E","pid":7,"tid":9,"ts":50}
  ], "behind": {"a": [1, 2.50]}
})";

class FilterTest : public ToolsTest {
 protected:
  // "name" of each kept event, of arrows "name id", of ends of pairs "-".
  std::vector<std::string> Keep(FilterOptions options) {
    options.threads = 2;
    const auto report = FilterTraces(Write("in.json", kTrace), options, Path("out.json.gz"));
    EXPECT_TRUE(report.ok()) << report.status().message();
    std::vector<std::string> names;
    for (const std::string& text : EventsOf(Path("out.json.gz"))) {
      EXPECT_THAT(kTrace, HasSubstr(text)) << "copied as it stands";
      const auto value = [&](std::string_view key) {
        const std::size_t at = text.find(key);
        if (at == std::string::npos) return std::string();
        const std::size_t begin = at + key.size();
        return text.substr(begin, text.find_first_of("\",", begin) - begin);
      };
      const std::string name = value("\"name\":\"");
      names.push_back(name.empty() ? "-" : name + value("\"id\":"));
    }
    return names;
  }
};

TEST_F(FilterTest, EventsOfCountersStandAsTheyAre) {
  const std::vector<std::string> events = {
      R"({"ph":"C","args":{"a":1,"b":"2"},"name":"n","pid":0,"tid":0,"ts":1})",
      R"({"ph":"X","cat":"cuda_profiler_range","name":"k","pid":0,"tid":0,"ts":1,"dur":2,"args":{"x.sum":5},"z":{}})",
      R"({"args":{"c":[1]},"ph":"C","name":"n","pid":0,"ts":2})"};
  const std::string text = "[" + events[0] + ", " + events[1] + " ,\n" + events[2] + "]";
  const auto report = FilterTraces(Write("in.json", text), {}, Path("out.json"));
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(EventsOf(Path("out.json")), events);
}

TEST_F(FilterTest, NothingAskedForIsNothingChanged) {
  EXPECT_EQ(Keep({}).size(), 18U);
  const std::string text = TextOf(Path("out.json.gz"));
  EXPECT_THAT(text, HasSubstr("\"big\": 18446744073709551615"));
  EXPECT_THAT(text, HasSubstr("\"behind\": {\"a\": [1, 2.50]}"));
  EXPECT_THAT(text, HasSubstr("{\"odd\":1e2, \"x\":9007199254740993}"));
}

// The second mark of a number is the step that tables call by the next number.
TEST_F(FilterTest, NumbersThatComeAgainGoOn) {
  std::string text(kTrace);
  text.replace(text.find("ProfilerStep#2"), 14, "ProfilerStep#1");
  FilterOptions options;
  options.steps = {{2}};
  const auto report = FilterTraces(Write("again.json", text), options, Path("again_out.json"));
  ASSERT_TRUE(report.ok()) << report.status().message();
  const std::string kept = TextOf(Path("again_out.json"));
  EXPECT_THAT(kept, HasSubstr("\"bwd\""));
  EXPECT_THAT(kept, testing::Not(HasSubstr("\"fwd\"")));
}

// k1 runs while step 2 does, but was launched in step 1; main overlaps both.
TEST_F(FilterTest, DeviceWorkIsInTheStepOfItsLaunch) {
  FilterOptions options;
  options.steps = {{1}};
  EXPECT_THAT(Keep(options),
              ElementsAre("process_name", "main", "ProfilerStep#1", "fwd", "cudaLaunchKernel",
                          "ac2g11", "k1", "ac2g11", "pair", "-"));
  options.steps = {{2}};
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "main", "ProfilerStep#2", "bwd",
                                         "cudaLaunchKernel", "ac2g12", "k2", "ac2g12"));
}

TEST_F(FilterTest, LinksBringTheOtherEnd) {
  FilterOptions options;
  options.names = {"k[2-9]"};
  EXPECT_THAT(Keep(options),
              ElementsAre("process_name", "cudaLaunchKernel", "ac2g12", "k2", "ac2g12"));
  options.links = false;
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "k2"));
}

TEST_F(FilterTest, ArrowsNeedBothEnds) {
  FilterOptions options;
  options.categories = {"cpu_op"};
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "fwd", "fwdbwd5", "bwd", "fwdbwd5"));
  options.names = {"fwd"};
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "fwd"));
}

TEST_F(FilterTest, PairsCountTheirWholeDuration) {
  FilterOptions options;
  options.categories = {"b"};
  options.min_dur_ns = 20'000;
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "pair", "-"));
  options.min_dur_ns = 20'001;
  EXPECT_THAT(Keep(options), ElementsAre("process_name"));
}

TEST_F(FilterTest, StreamsTimesDurationsAndPython) {
  FilterOptions options;
  options.links = false;
  options.streams = {{4}};
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "k2"));
  options.streams.reset();
  options.time = {{135'000, 139'000}};
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "main", "ProfilerStep#2", "k1"));
  options.python = false;
  options.max_dur_ns = 10'000;
  EXPECT_THAT(Keep(options), ElementsAre("process_name", "k1"));
}

TEST_F(FilterTest, WhatCannotBeIsSaid) {
  FilterOptions options;
  options.steps = {{9}};
  const std::string in = Write("in.json", kTrace);
  const auto none = FilterTraces(in, options, Path("out.json"));
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.status().message(), HasSubstr("it has 1 to 2"));
  EXPECT_FALSE(std::filesystem::exists(Path("out.json")));
  EXPECT_THAT(FilterTraces(in, {}, in).status().message(), HasSubstr("which is read"));
  EXPECT_THAT(FilterTraces(Write("a.json", "{}"), {}, Path("o")).status().message(),
              HasSubstr("no traceEvents"));
  const auto cut = FilterTraces(Write("cut.json", kTrace.substr(0, 900)), {}, Path("out.json"));
  ASSERT_TRUE(cut.ok());
  ASSERT_EQ(cut->losses.size(), 1U);
  EXPECT_THAT(cut->losses.front(), HasSubstr("cut off"));
  EXPECT_GT(cut->written.kept, 4U);
}

}  // namespace
}  // namespace rankscope::tools
