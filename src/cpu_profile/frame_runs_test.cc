// What samples add up to, and what becomes of them in a trace.
#include "cpu_profile/frame_runs.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_profile/trace_events.h"

namespace rankscope::cpu_profile {
namespace {

using ::testing::HasSubstr;

class FrameRuns : public ::testing::Test {
 protected:
  FrameRuns() {
    profile_.kind = "python";
    profile_.period_ns = 10;
    profile_.threads = {{7, "main"}, {8, ""}};
  }
  // Functions by their letters, outermost first; lines by the time.
  void Add(std::uint32_t thread, std::int64_t time_ns, std::string_view functions, int line = 1) {
    Node node = kNoFrames;
    for (const char one : functions)
      node =
          profile_.stacks.Add(node, profile_.stacks.AddFunction(std::string(1, one), "f.py"), line);
    profile_.samples.push_back({time_ns, thread, node, thread == 0});
  }
  std::string Words() const {
    std::string words;
    for (const FrameRun& run : RunsOf(profile_))
      words +=
          fmt::format("{}{}{}[{},{})x{} ", run.thread, profile_.stacks.function(run.function).name,
                      run.depth, run.begin_ns, run.end_ns, run.samples);
    return words;
  }
  Profile profile_;
};

TEST_F(FrameRuns, FramesThatStayAreOne) {
  Add(0, 100, "ab");
  Add(1, 100, "a");
  Add(0, 110, "abc");
  Add(0, 120, "ac");
  EXPECT_EQ(Words(), "0a1[100,130)x3 0b2[100,120)x2 0c3[110,120)x1 0c2[120,130)x1 1a1[100,110)x1 ");
}

TEST_F(FrameRuns, APauseEndsThem) {
  Add(0, 100, "a");
  Add(0, 125, "a");
  Add(0, 200, "a");
  EXPECT_EQ(Words(), "0a1[100,135)x2 0a1[200,210)x1 ");
}

TEST_F(FrameRuns, ASampleThatIsEarlyCutsTheOneBefore) {
  Add(0, 100, "a");
  Add(0, 104, "b");
  EXPECT_EQ(Words(), "0a1[100,104)x1 0b1[104,114)x1 ");
}

TEST_F(FrameRuns, EqualStacksAreCounted) {
  Add(0, 100, "ab");
  Add(1, 100, "ab");
  Add(0, 110, "ab", 2);
  EXPECT_EQ(CollapsedText(profile_), "main;a;b 2\nthread 8;a;b 1\n");
}

TEST_F(FrameRuns, EventsOfATrace) {
  Add(0, 2'000'001'500, "a", 3);
  EXPECT_EQ(TraceEvents(profile_, 99, {.base_ns = 2'000'000'000}),
            "{\"ph\":\"X\",\"cat\":\"cpu_sample\",\"name\":\"a\",\"pid\":99,\"tid\":\"cpu 7 main "
            "(python)\",\"ts\":1.500,\"dur\":0.010,\"args\":{\"samples\":1,\"sampler\":\"python\","
            "\"function\":\"a\",\"file\":\"f.py\",\"line\":3,\"samples with the GIL\":1,"
            "\"depth\":1}},\n");
  EXPECT_EQ(TraceEvents(profile_, 99, {.begin_ns = 3'000'000'000}), "");
  EXPECT_THAT(TraceEvents(profile_, 99, {.base_ns = 2'000'002'000}), HasSubstr("\"ts\":-0.500"));
}

TEST(LabelOf, AsTheProfilerCallsThem) {
  EXPECT_EQ(LabelOf({"f", "/opt/x/lib/python3.11/site-packages/torch/a.py", 7}),
            "torch/a.py(7): f");
  EXPECT_EQ(LabelOf({"f", "/usr/lib/python3.11/threading.py", 7}), "threading.py(7): f");
  EXPECT_EQ(LabelOf({"f", "/home/me/train.py", 7}), "/home/me/train.py(7): f");
  EXPECT_EQ(LabelOf({"mul", "/usr/lib/libm.so", 0}), "mul");
}

TEST(ClockOfTrace, InTheHeadOrAtTheEnd) {
  constexpr std::string_view kEnd =
      R"json({"ph": "X", "cat": "Trace", "ts": 5.5, "dur": 9, "pid": "Spans", "tid": "PyTorch Profiler",
          "name": "PyTorch Profiler (0)", "args": {"Op count": 0}},
         {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 20}],
         "baseTimeNanoseconds": 7000})json";
  TraceClock clock = ClockOfTrace(R"({"traceEvents": [)", kEnd);
  EXPECT_EQ(clock.base_ns, 7000);
  EXPECT_EQ(clock.begin_ns, 7000 + 5500);
  EXPECT_EQ(clock.end_ns, 7000 + 14500);
  clock = ClockOfTrace(R"({"baseTimeNanoseconds": 9000, "traceEvents": [)", "]}");
  EXPECT_EQ(clock.base_ns, 9000);
  EXPECT_EQ(clock.end_ns, INT64_MAX);
  EXPECT_EQ(ClockOfTrace("", "").base_ns, 0);
  EXPECT_EQ(ClockOfTrace(R"({"baseTimeNanoseconds": "x", "traceEvents")", "").base_ns, 0);
}

}  // namespace
}  // namespace rankscope::cpu_profile
