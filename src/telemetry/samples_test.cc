// Numbers of jobs, thinned for pictures.
#include "telemetry/samples.h"

#include <gtest/gtest.h>

#include "telemetry/telemetry.h"

namespace rankscope {
namespace {

TEST(Samples, ThinnedKeepTheirExtremesAndTheirOrder) {
  std::vector<MetricSample> samples;
  for (std::int64_t i = 0; i < 1000; ++i) {
    MetricSample loss{.time_ns = i, .name = "loss"};
    loss.value = i == 777 ? 99 : i == 778 ? -5 : 1;
    samples.push_back(loss);
    if (i < 3) samples.push_back({.time_ns = i, .rank = 4, .name = "loss", .value = 2});
  }
  const std::vector<MetricSample> left = Thinned(samples, 20);
  double most = 0;
  double least = 0;
  std::size_t of_rank = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    most = std::max(most, left[i].value);
    least = std::min(least, left[i].value);
    of_rank += left[i].rank ? 1 : 0;
    EXPECT_TRUE(i == 0 || left[i - 1].time_ns <= left[i].time_ns);
  }
  EXPECT_EQ(most, 99);
  EXPECT_EQ(least, -5);
  EXPECT_EQ(of_rank, 3U);  // a series of its own, which is short
  EXPECT_LE(left.size(), 23U);
  EXPECT_EQ(Thinned(samples, 5000).size(), samples.size());
  EXPECT_TRUE(Thinned({}, 2).empty());
}

TEST(Samples, ListsAndLinesAreTheSame) {
  const std::string one =
      R"({"time":"1700000000000000001","name":"device_power","value":412.5,"rank":3,"unit":"W"})";
  const std::string two =
      R"({"time":"2023-11-14T22:13:20.5Z","name":"host_cpu_pressure","value":0.25,"host":"a","rank":null})";
  const auto list = ParseSamples("[" + one + ",\n" + two + "]\n");
  const auto lines = ParseSamples("\n" + one + "\r\n\n" + two);
  ASSERT_TRUE(list.ok() && lines.ok()) << lines.status().message();
  ASSERT_EQ(list->size(), 2U);
  ASSERT_EQ(lines->size(), 2U);
  for (const auto& samples : {*list, *lines}) {
    EXPECT_EQ(samples[0].time_ns, 1'700'000'000'000'000'001);
    EXPECT_EQ(samples[0].rank, 3);
    EXPECT_EQ(samples[1].time_ns, 1'700'000'000'500'000'000);
    EXPECT_EQ(samples[1].rank, std::nullopt);
    EXPECT_EQ(samples[1].host, "a");
  }
  std::string written;
  AppendSample(written, (*list)[0]);
  EXPECT_EQ(written,
            R"({"time":"1700000000000000001","name":"device_power","value":412.5,"rank":3,)"
            R"("unit":"W"})");
}

TEST(Samples, WhatIsWrongIsNamed) {
  const auto refused = [](std::string_view json) {
    const auto samples = ParseSamples(json);
    return samples.ok() ? std::string() : samples.status().message();
  };
  EXPECT_EQ(refused(R"([{"time":1,"name":"a","value":1},{"time":1,"name":"a","value":"x"}])"),
            "metric 1: 'value' is to be a number");
  EXPECT_EQ(refused(R"({"time":1,"name":"a"})"), "metric 0: it has no time, name or value");
  EXPECT_EQ(refused(R"({"time":"today","name":"a","value":1})"),
            "metric 0: 'time' is to be a time such as 2026-11-23T06:41:16Z, or nanoseconds since "
            "1970");
  EXPECT_EQ(refused(R"([{"time":1,"name":"a","value":1,"colour":"red"}])"),
            "metric 0: 'colour' is not known of a metric");
  EXPECT_NE(refused("no JSON").find("there is no list in JSON"), std::string::npos);
  EXPECT_NE(refused("{\"time\":1\n").find("there is no list in JSON"), std::string::npos);
}

TEST(Telemetry, TextsAreKeptOnce) {
  Telemetry telemetry;
  EXPECT_TRUE(telemetry.empty());
  telemetry.Add({{.time_ns = 5, .rank = 2, .host = "a", .name = "busy", .value = 0.5, .unit = ""},
                 {.time_ns = 6, .host = "a", .name = "load", .value = 9, .unit = ""}});
  ASSERT_EQ(telemetry.rows().size(), 2U);
  EXPECT_EQ(telemetry.rows()[0].host, telemetry.rows()[1].host);
  EXPECT_EQ(telemetry.Text(telemetry.rows()[1].name), "load");
  EXPECT_EQ(telemetry.rows()[1].rank, Telemetry::kNoRank);
  EXPECT_TRUE(IsTelemetryName("a/hosts.telemetry.json"));
  EXPECT_FALSE(IsTelemetryName("a/rank0.pt.trace.json"));
}

}  // namespace
}  // namespace rankscope
