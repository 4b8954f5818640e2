// Sinks that take, refuse, hang and come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "agent/sinks/exporter.h"
#include "agent/sinks/json_lines.h"
#include "agent/sinks/otlp.h"
#include "base/until.h"

namespace rankscope::agent {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr Metric kLoad = {"rankscope_load", quantity::Kind::kGauge, "of \"it\""};
constexpr Metric kBytes = {"rankscope_disk_bytes_total", quantity::Kind::kCounter, "read"};
constexpr Now kNow{.steady_ms = 5, .unix_us = 1'700'000'000'123'000};

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(JsonLines, ALineForEachReading) {
  EXPECT_EQ(JsonLines({MakeSnapshot("load", {{&kLoad, {{"minutes", "5"}, {"a", "\""}}, 0.5}}, kNow),
                       MakeSnapshot("disk", {{&kBytes, {}, 4096}}, kNow)},
                      "node\"1"),
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"host\":\"node\\\"1\",\"source\":\"load\","
            "\"name\":\"rankscope_load\",\"kind\":\"gauge\",\"labels\":{\"minutes\":\"5\",\"a\":"
            "\"\\\"\"},\"value\":0.5}\n"
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"host\":\"node\\\"1\",\"source\":\"disk\","
            "\"name\":\"rankscope_disk_bytes_total\",\"kind\":\"counter\",\"labels\":{},\"value\":"
            "4096}\n");
}

TEST(JsonLinesSink, FilesAreRotated) {
  const std::string folder = testing::TempDir() + "/lines" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/t.jsonl";
  JsonLinesSink sink({.path = path, .host = "h", .most_bytes = 10, .most_files = 3});
  for (const char* const text : {"aaaaaa\n", "bbbbbb\n", "cc\n", "dddddd\n", "eeeeee\n"})
    ASSERT_TRUE(sink.Send(text).ok());
  EXPECT_EQ(TextOf(path), "eeeeee\n");
  EXPECT_EQ(TextOf(path + ".1"), "dddddd\n");
  EXPECT_EQ(TextOf(path + ".2"), "bbbbbb\ncc\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".3"));
  // Goes on behind what is there.
  JsonLinesSink again({.path = path, .host = "h", .most_bytes = 100, .most_files = 3});
  ASSERT_TRUE(again.Send("f\n").ok());
  EXPECT_EQ(TextOf(path), "eeeeee\nf\n");
  JsonLinesSink nowhere({.path = folder + "/no/t", .host = "h"});
  EXPECT_EQ(nowhere.Send("x").code(), StatusCode::kIo);
  JsonLinesSink full({.path = "/dev/full", .host = "h"});
  EXPECT_EQ(full.Send("x").code(), StatusCode::kIo);
  std::filesystem::remove_all(folder);
}

TEST(OtlpEncoder, GaugesAndSumsWithTheirStart) {
  OtlpEncoder encoder({.url = "",
                       .token = "",
                       .ca_file = "",
                       .host = "node1",
                       .version = "1.2",
                       .boot_unix_ms = 1000,
                       .begin_unix_ms = 2000});
  const auto at = [&](double bytes, std::int64_t unix_ms) {
    return encoder.Encode(
        {MakeSnapshot(
             "disk",
             {{&kLoad, {}, 0.5}, {&kBytes, {{"disk", "a"}}, bytes}, {&kBytes, {{"disk", "b"}}, 7}},
             {.unix_us = 1000 * unix_ms}),
         MakeSnapshot("load", {{&kLoad, {}, 1}}, {.unix_us = 1000 * unix_ms})});
  };
  EXPECT_EQ(
      at(10, 5000),
      R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"rankscope-agent"}},)"
      R"({"key":"service.version","value":{"stringValue":"1.2"}},{"key":"host.name","value":{"stringValue":"node1"}}]},)"
      R"("scopeMetrics":[{"scope":{"name":"rankscope-agent"},"metrics":[)"
      R"({"name":"rankscope_disk_bytes_total","description":"read","unit":"By","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[)"
      R"({"attributes":[{"key":"disk","value":{"stringValue":"a"}}],"startTimeUnixNano":"1000000000","timeUnixNano":"5000000000","asDouble":10},)"
      R"({"attributes":[{"key":"disk","value":{"stringValue":"b"}}],"startTimeUnixNano":"1000000000","timeUnixNano":"5000000000","asDouble":7}]}},)"
      R"({"name":"rankscope_load","description":"of \"it\"","unit":"","gauge":{"dataPoints":[{"attributes":[],"timeUnixNano":"5000000000","asDouble":0.5}]}},)"
      R"({"name":"rankscope_load","description":"of \"it\"","unit":"","gauge":{"dataPoints":[{"attributes":[],"timeUnixNano":"5000000000","asDouble":1}]}}]}]}]})");
  // It fell: it counts from the reading before on.
  EXPECT_THAT(
      at(3, 6000),
      HasSubstr(R"("startTimeUnixNano":"5000000000","timeUnixNano":"6000000000","asDouble":3)"));
  EXPECT_THAT(
      at(4, 7000),
      HasSubstr(R"("startTimeUnixNano":"5000000000","timeUnixNano":"7000000000","asDouble":4)"));
}

// Does what the test says.
class FakeSink final : public Sink {
 public:
  struct State {
    std::atomic<StatusCode> answer = StatusCode::kOk;
    std::atomic<bool> hangs = false;
    std::atomic<bool> is_aborted = false;
    std::atomic<int> asked = 0;
    std::mutex mutex;
    std::vector<std::string> taken;
  };
  explicit FakeSink(State& state) : state_(state) {}
  std::string_view name() const override { return "fake"; }
  std::string Encode(const Snapshots& fresh) override {
    return fresh.empty() ? "" : std::string(fresh[0]->source);
  }
  Status Send(const std::string& encoded) override {
    ++state_.asked;
    while (state_.hangs && !state_.is_aborted) std::this_thread::sleep_for(milliseconds(1));
    const StatusCode code = state_.answer;
    if (code != StatusCode::kOk) return Error(code, "it says no");
    const std::scoped_lock lock(state_.mutex);
    state_.taken.push_back(encoded);
    return OkStatus();
  }
  void Abort() override { state_.is_aborted = true; }

 private:
  State& state_;
};

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() {
    outbox_ = std::make_unique<Outbox>(
        std::make_unique<FakeSink>(sink_),
        OutboxOptions{
            .most_bytes = 10, .first_pause = milliseconds(1), .longest_pause = milliseconds(2)},
        [this](std::string_view text) {
          const std::scoped_lock lock(mutex_);
          said_.emplace_back(text);
        });
  }
  std::vector<std::string> Taken() {
    const std::scoped_lock lock(sink_.mutex);
    return sink_.taken;
  }
  std::vector<std::string> Said() {
    const std::scoped_lock lock(mutex_);
    return said_;
  }

  FakeSink::State sink_;
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<Outbox> outbox_;
};

TEST_F(OutboxTest, ADeadSinkLosesWhatExceedsItsBufferAndSaysHowMuch) {
  sink_.answer = StatusCode::kIo;
  outbox_->Add("1111", 1);
  EXPECT_TRUE(Until([&] { return sink_.asked >= 3; })) << "it is tried again";
  outbox_->Add("2222", 2);
  outbox_->Add("3333", 4);
  outbox_->Add("4444", 8);
  outbox_->Add("far too long", 16);
  EXPECT_LE(outbox_->numbers().queued_bytes, 10U);
  EXPECT_GE(outbox_->numbers().lost, 1U + 2U + 16U);
  sink_.answer = StatusCode::kOk;
  EXPECT_TRUE(Until([&] { return outbox_->numbers().queued_bytes == 0; }));
  const OutboxNumbers numbers = outbox_->numbers();
  EXPECT_EQ(numbers.sent + numbers.lost, 1U + 2 + 4 + 8 + 16) << "all is told";
  EXPECT_EQ(Taken().back(), "4444") << "the newest stay";
  EXPECT_TRUE(Until([&] { return Said().size() == 3; }));
  EXPECT_EQ(Said()[0], "sink fake: it says no; it is tried again");
  EXPECT_THAT(Said()[1], HasSubstr("buffer of 10 bytes is full"));
  EXPECT_THAT(Said()[2],
              HasSubstr(fmt::format("takes again; {} readings were lost", numbers.lost)));
}

TEST_F(OutboxTest, AHangingSinkHoldsUpNobody) {
  sink_.hangs = true;
  outbox_->Add("1111", 1);
  EXPECT_TRUE(Until([&] { return sink_.asked == 1; }));
  for (int i = 0; i < 1000; ++i) outbox_->Add("2222", 1);
  EXPECT_EQ(outbox_->numbers().lost, 999U) << "but what is on its way and one more";
  outbox_.reset();  // ends although it hangs
  EXPECT_TRUE(sink_.is_aborted);
}

TEST_F(OutboxTest, WhatWillNeverBeTakenIsNotTriedAgain) {
  sink_.answer = StatusCode::kBadData;
  outbox_->Add("1111", 3);
  EXPECT_TRUE(Until([&] { return outbox_->numbers().lost == 3; }));
  EXPECT_EQ(sink_.asked, 1);
  EXPECT_TRUE(Until([&] { return Said().size() == 1; }));
  EXPECT_EQ(Said()[0], "sink fake: it says no");
}

TEST(Exporter, ASinkThatThrowsLosesItsReadingsAlone) {
  class Throws final : public Sink {
   public:
    std::string_view name() const override { return "throws"; }
    std::string Encode(const Snapshots&) override { throw std::runtime_error("too long"); }
    Status Send(const std::string&) override { return OkStatus(); }
    void Abort() override {}
  };
  FakeSink::State state;
  std::mutex mutex;
  std::string said;
  const auto say = [&](std::string_view text) {
    const std::scoped_lock lock(mutex);
    said += text;
  };
  std::vector<std::unique_ptr<Outbox>> outboxes;
  outboxes.push_back(std::make_unique<Outbox>(std::make_unique<Throws>(), OutboxOptions{}, say));
  outboxes.push_back(
      std::make_unique<Outbox>(std::make_unique<FakeSink>(state), OutboxOptions{}, say));
  const auto snapshot = MakeSnapshot("load", {{&kLoad, {}, 1}}, kNow);
  Exporter exporter(
      std::move(outboxes), [&] { return Snapshots{snapshot}; }, milliseconds(1));
  exporter.Start();
  EXPECT_TRUE(Until([&] {
    const std::scoped_lock lock(state.mutex);
    return state.taken == std::vector<std::string>{"load"};
  }));
  EXPECT_EQ(exporter.outboxes()[0]->numbers().lost, 1U);
  exporter.Stop();
  EXPECT_EQ(said, "sink throws: readings are lost: too long");
}

TEST(Exporter, WhatWasReadAnewGoesToEachSink) {
  FakeSink::State first, second;
  second.hangs = true;
  std::atomic<int> reads = 0;
  const auto load = MakeSnapshot("load", {{&kLoad, {}, 1}}, kNow);
  {
    std::vector<std::unique_ptr<Outbox>> outboxes;
    for (FakeSink::State* const state : {&second, &first})
      outboxes.push_back(std::make_unique<Outbox>(std::make_unique<FakeSink>(*state),
                                                  OutboxOptions{}, [](std::string_view) {}));
    Exporter exporter(
        std::move(outboxes),
        [&] {
          ++reads;
          return Snapshots{load, MakeSnapshot("down", {}, kNow)};
        },
        milliseconds(1));
    exporter.Start();
    EXPECT_TRUE(Until([&] { return reads > 5; })) << "the sink that hangs holds nobody up";
    EXPECT_TRUE(Until([&] { return first.asked > 0; }));
  }
  EXPECT_EQ(first.taken, std::vector<std::string>{"load"}) << "once";
}

}  // namespace
}  // namespace rankscope::agent
