// Questions about the last values, and what jobs tell of themselves.
#include "agent/telemetry/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "agent/rpc.h"

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;

constexpr Metric kBusy = {"rankscope_device_busy_ratio", quantity::Kind::kGauge, ""};
constexpr Metric kQueryCpu = {"rankscope_cpu_seconds_total", quantity::Kind::kCounter, ""};

TEST(MetricsJson, ByNameAndLabels) {
  const Snapshots snapshots = {
      MakeSnapshot("device",
                   {{&kBusy, {{"device", "0"}, {"name", "a"}}, 0.25},
                    {&kBusy, {{"device", "1"}, {"name", "a"}}, 0.5}},
                   {.steady_ms = 100}),
      MakeSnapshot("cpu", {{&kQueryCpu, {{"mode", "us\"er"}}, 7}}, {.steady_ms = 40})};
  const Now now{.steady_ms = 150};
  EXPECT_EQ(MetricsJson(snapshots, "device_busy_ratio", {{"device", "1"}}, now),
            "{\"metrics\":[{\"name\":\"rankscope_device_busy_ratio\",\"kind\":\"gauge\",\"labels\":"
            "{\"device\":\"1\",\"name\":\"a\"},\"value\":0.5,\"age_ms\":50}]}");
  EXPECT_EQ(
      MetricsJson(snapshots, "rankscope_cpu_seconds_total", {}, now),
      "{\"metrics\":[{\"name\":\"rankscope_cpu_seconds_total\",\"kind\":\"counter\",\"labels\":"
      "{\"mode\":\"us\\\"er\"},\"value\":7,\"age_ms\":110}]}");
  EXPECT_EQ(MetricsJson(snapshots, "device", {}, now), "{\"metrics\":[]}");
  EXPECT_EQ(MetricsJson(snapshots, "", {{"device", "7"}}, now), "{\"metrics\":[]}");
  EXPECT_THAT(MetricsJson(snapshots, "", {}, now), HasSubstr("},{"));
  EXPECT_EQ(ParseLabel("device=\"0\"")->second, "0");
  EXPECT_EQ(ParseLabel("a=b=c")->second, "b=c");
  EXPECT_FALSE(ParseLabel("=b").ok());
}

TEST(JobValues, AreKeptForAMinuteAndBounded) {
  Now now{.steady_ms = 0};
  JobValues values([&] { return now; });
  EXPECT_TRUE(values.Tell(4711, {{"job", "a"}}, "step_time_s", 0.5).ok());
  EXPECT_TRUE(values.Tell(4711, {{"job", "a"}}, "step_time_s", 0.25).ok());
  EXPECT_FALSE(values.Tell(4711, {}, "a b", 1).ok());
  EXPECT_FALSE(values.Tell(4711, {}, "a", std::nan("")).ok());
  Readings readings;
  EXPECT_TRUE(values.Read(readings).ok());
  ASSERT_EQ(readings.all.size(), 1U);
  EXPECT_EQ(readings.all[0].value, 0.25);
  EXPECT_EQ(readings.all[0].labels.front(),
            std::pair(std::string("name"), std::string("step_time_s")));
  for (std::size_t i = 1; i < JobValues::kMost; ++i)
    EXPECT_TRUE(values.Tell(static_cast<pid_t>(i), {}, "x", 1).ok());
  EXPECT_EQ(values.Tell(1'000'000, {}, "x", 1).code(), StatusCode::kResource);
  now.steady_ms = 60'001;
  EXPECT_TRUE(values.Tell(1'000'000, {}, "x", 1).ok());
  Readings later;
  EXPECT_TRUE(values.Read(later).ok());
  EXPECT_EQ(later.all.size(), 1U);
}

TEST(Rpc, TellsAndGetsMetrics) {
  Captures captures("/nowhere", {});
  const Decisions decisions;
  const auto clock = [] { return Now{.steady_ms = 50}; };
  JobValues values(clock);
  const Rpc rpc(
      {captures, decisions, values,
       [] {
         return Snapshots{MakeSnapshot("device", {{&kBusy, {{"device", "0"}}, 0.25}}, {})};
       }},
      {"1", "host", "", {}}, clock);
  const auto ask = [&](std::string_view request) {
    return rpc.Answer(request, {.is_trusted = true, .uid = {}, .name = "", .problem = ""});
  };
  EXPECT_THAT(ask(R"({"fn":"tellMetrics","pid":7,"values":{"a":1}})"),
              HasSubstr("no process 7 asks for work"));
  captures.OnPoll({.address = "a", .pid = 100}, {.type = 2, .job = 5, .pids = {7}}, clock());
  EXPECT_EQ(ask(R"({"fn":"tellMetrics","pid":7,"values":{"a":1,"b":2.5}})"), R"({"taken":2})");
  EXPECT_THAT(ask(R"({"fn":"tellMetrics","pid":7,"values":{"a":"x"}})"), HasSubstr("error"));
  EXPECT_THAT(ask(R"({"fn":"tellMetrics","pid":7,"values":[]})"), HasSubstr("error"));
  EXPECT_THAT(ask(R"({"fn":"tellMetrics","pid":7})"), HasSubstr("error"));
  Readings readings;
  EXPECT_TRUE(values.Read(readings).ok());
  ASSERT_EQ(readings.all.size(), 2U);
  EXPECT_EQ(readings.all[0].labels[1].second, "100") << "as the host numbers it";
  EXPECT_THAT(ask(R"({"fn":"getMetrics","name":"device_busy_ratio","labels":{"device":"0"}})"),
              HasSubstr("\"value\":0.25,\"age_ms\":50"));
  EXPECT_EQ(ask(R"({"fn":"getMetrics","labels":{"device":"1"}})"), R"({"metrics":[]})");
  EXPECT_THAT(ask(R"({"fn":"getMetrics","labels":{"device":1}})"), HasSubstr("error"));
}

}  // namespace
}  // namespace rankscope::agent
