// A level against a real server on loopback, and its record read back.
#include "load/run/level_run.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/units_for_test.h"
#include "http/server.h"
#include "load/run_load.h"
#include "serving/inputs/read_file.h"

namespace rankscope::load {
namespace {

// Answers after a while on a thread of the server's; every tenth with 503 where it is asked to.
class Slow final : public http::Handler {
 public:
  std::chrono::milliseconds time{0};
  bool fails = false;
  std::atomic<int> asked = 0, inside = 0, most_inside = 0;

  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(const http::Head&) override {
    class Body final : public http::Exchange {
     public:
      explicit Body(Slow& slow) : slow_(slow) {}
      std::uint64_t MostBytes() const override { return 1 << 20; }
      Status Take(std::string_view) override { return OkStatus(); }
      http::Reply Finish(bool) override { return slow_.Answer(); }

     private:
      Slow& slow_;
    };
    return std::make_unique<Body>(*this);
  }
  http::Reply Refuse(int status, std::string_view sentence) override {
    return {.status = status, .body = std::string(sentence)};
  }
  void OnServed(const http::Served&) override {}

  http::Reply Answer() {
    const int now = ++inside;
    int most = most_inside;
    while (now > most && !most_inside.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(time);
    --inside;
    const bool is_bad = fails && asked % 10 == 0;
    ++asked;
    return {.status = is_bad ? 503 : 200, .body = std::string("hello")};
  }
};

class LevelRun : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (std::filesystem::temp_directory_path() / "load-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
    http::ServerOptions options;
    options.blocking_threads = 32;
    auto server = http::Server::Start(options, handler_);
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(*server);
    spec_.target.address = {.host = "127.0.0.1", .port = std::to_string(server_->port())};
    spec_.target.endpoint = Endpoint::kPlain;
    spec_.target.method = "POST";
    spec_.folder = folder_;
    spec_.scrapes = false;
  }
  void TearDown() override {
    server_->Stop(std::chrono::milliseconds(0));
    std::filesystem::remove_all(folder_);
  }

  serving::ServingData Recorded() {
    const std::string path = folder_ + "/load.jsonl";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    serving::Collection collection;
    const std::string all = text.str();
    const Status status = serving::ReadServingFile({.path = path, .text = all}, collection);
    EXPECT_TRUE(status.ok()) << status.message();
    return std::move(collection.data);
  }

  Slow handler_;
  std::unique_ptr<http::Server> server_;
  std::string folder_;
  LoadSpec spec_;
};

TEST_F(LevelRun, SendsWhatTheScheduleSaysAndWritesItDown) {
  spec_.arrivals = Arrivals::kConstant;
  spec_.levels = {{.per_s = 100, .sending = kS}};
  std::vector<serving::LevelResult> results;
  const Status status =
      RunLoad(spec_, {.ends = [&](const serving::LevelResult& one) { results.push_back(one); }});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(handler_.asked, 100);
  ASSERT_EQ(results.size(), 1U);
  const serving::ServingData data = Recorded();
  ASSERT_EQ(data.requests.size(), 100U);
  ASSERT_EQ(data.levels.size(), 1U);
  EXPECT_EQ(data.levels[0].sending, kS);
  EXPECT_EQ(data.levels[0].target_per_s, 100);
  // Intended moments are the schedule's to the nanosecond, whenever requests were sent.
  std::vector<std::int64_t> intended;
  for (const serving::Request& request : data.requests) {
    EXPECT_EQ(request.outcome, serving::Outcome::kDone);
    EXPECT_GE(*request.lag, 0);
    EXPECT_GE(*request.sent, *request.lag);
    EXPECT_GE(*request.e2e, *request.sent);
    intended.push_back(*request.arrival - *data.levels[0].begin);
  }
  std::ranges::sort(intended);
  for (std::size_t i = 0; i < intended.size(); ++i)
    EXPECT_EQ(intended[i], static_cast<std::int64_t>(i) * 10 * kMs);
}

TEST_F(LevelRun, WhatWaitsForAConnectionCountsFromWhenItWasToBeSent) {
  // A hundred a second, one connection, 20 ms each: half of the time is waiting for it.
  handler_.time = std::chrono::milliseconds(20);
  spec_.arrivals = Arrivals::kConstant;
  spec_.most_connections = 1;
  spec_.levels = {{.per_s = 100, .sending = kS / 2}};
  serving::LevelResult result;
  ASSERT_TRUE(RunLoad(spec_, {.ends = [&](const auto& one) { result = one; }}).ok());
  EXPECT_EQ(handler_.most_inside, 1);
  ASSERT_TRUE(result.e2e && result.e2e_from_send);
  // The last of 50 was to be sent at 490 ms and waited for 49 that take 20 ms at least.
  EXPECT_GE(result.e2e->p99, 400e6);
  EXPECT_LT(result.e2e_from_send->p50, result.e2e->p50 / 2);
  // It says nothing of the server, which had one request at a time.
  EXPECT_NE(result.invalid, "");
}

TEST_F(LevelRun, UsersHaveOneRequestEach) {
  handler_.time = std::chrono::milliseconds(5);
  spec_.levels = {{.kind = serving::LoadKind::kClosed, .users = 3, .sending = kS / 2}};
  ASSERT_TRUE(RunLoad(spec_, {}).ok());
  EXPECT_LE(handler_.most_inside, 3);
  EXPECT_GT(handler_.asked, 3);
}

TEST_F(LevelRun, ALevelEndsAfterSoManyRequests) {
  spec_.levels = {
      {.kind = serving::LoadKind::kClosed, .users = 4, .sending = 600 * kS, .most_requests = 10},
      {.per_s = 1000, .sending = 600 * kS, .most_requests = 15}};
  ASSERT_TRUE(RunLoad(spec_, {}).ok());
  EXPECT_EQ(handler_.asked, 25);
}

// Needs load until so many requests have come behind a level's time.
class Capturer final : public LevelCapturer {
 public:
  Capturer(Slow& server, int more) : server_(server), more_(more) {}
  void Begin(const serving::LoadLevel& level) override {
    begun.push_back(level.number);
    until_ = server_.asked + more_;
  }
  bool NeedsLoad() override { return server_.asked < until_; }
  serving::LevelCapture End() override {
    return {.run = "r" + std::to_string(begun.back()), .page = "http://s/runs/r", .files = 2};
  }

  std::vector<std::int32_t> begun;

 private:
  Slow& server_;
  const int more_;
  int until_ = 0;
};

TEST_F(LevelRun, LoadGoesOnWhileTheServerIsRecordedAndIsNotMeasured) {
  handler_.time = std::chrono::milliseconds(1);
  spec_.arrivals = Arrivals::kConstant;
  spec_.levels = {{.per_s = 100, .sending = kS / 2},
                  {.kind = serving::LoadKind::kClosed, .users = 2, .sending = kS / 4},
                  {.per_s = 100, .sending = 600 * kS, .most_requests = 30},
                  {.per_s = 50, .end_per_s = 60, .sending = kS / 5}};
  Capturer capturer(handler_, 25);
  ASSERT_TRUE(RunLoad(spec_, {.capturer = &capturer}).ok());
  // Not of a ramp, which has no load to go on with.
  EXPECT_EQ(capturer.begun, (std::vector<std::int32_t>{0, 1, 2}));
  const serving::ServingData data = Recorded();
  ASSERT_EQ(data.levels.size(), 4U);
  EXPECT_EQ(data.levels[0].sending, kS / 2);
  EXPECT_EQ(data.levels[1].sending, kS / 4);
  std::vector<int> measured(4);
  for (const serving::Request& request : data.requests) {
    const serving::LoadLevel& level = data.levels[static_cast<std::size_t>(request.level)];
    EXPECT_LT(*request.arrival, *level.begin + *level.sending + (request.level == 2 ? 1 : 0));
    ++measured[static_cast<std::size_t>(request.level)];
  }
  EXPECT_EQ(measured[0], 50);
  EXPECT_EQ(measured[2], 30);
  EXPECT_GE(handler_.asked, static_cast<int>(data.requests.size()) + 3 * 25);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(data.levels[i].capture.has_value());
    EXPECT_EQ(data.levels[i].capture->run, "r" + std::to_string(i));
    EXPECT_EQ(data.levels[i].capture->files, 2);
  }
  EXPECT_FALSE(data.levels[3].capture.has_value());
}

TEST_F(LevelRun, ALevelThatTheServerDoesNotBearIsNotRecorded) {
  handler_.fails = true;
  spec_.levels = {
      {.kind = serving::LoadKind::kClosed, .users = 1, .sending = 600 * kS, .most_requests = 30}};
  Capturer capturer(handler_, 1);
  ASSERT_TRUE(RunLoad(spec_, {.capturer = &capturer}).ok());
  EXPECT_TRUE(capturer.begun.empty());
  const serving::ServingData data = Recorded();
  ASSERT_TRUE(data.levels.at(0).capture.has_value());
  EXPECT_EQ(data.levels[0].capture->run, "");
  EXPECT_EQ(data.levels[0].capture->problem, "the server does not bear this level");
}

TEST_F(LevelRun, FailuresAreRecordedWithTheirReason) {
  handler_.fails = true;
  spec_.levels = {
      {.kind = serving::LoadKind::kClosed, .users = 1, .sending = 600 * kS, .most_requests = 30}};
  ASSERT_TRUE(RunLoad(spec_, {}).ok());
  int failed = 0;
  for (const serving::Request& request : Recorded().requests) {
    failed += request.outcome == serving::Outcome::kFailed;
    if (request.outcome == serving::Outcome::kFailed) {
      EXPECT_EQ(request.problem, "status 503");
    }
  }
  EXPECT_EQ(failed, 3);
}

TEST_F(LevelRun, WhatDoesNotEndInTimeIsGivenUp) {
  handler_.time = std::chrono::milliseconds(3000);
  spec_.drain = 50 * kMs;
  spec_.levels = {{.per_s = 50, .sending = kS / 10}};
  ASSERT_TRUE(RunLoad(spec_, {}).ok());
  const serving::ServingData data = Recorded();
  ASSERT_FALSE(data.requests.empty());
  for (const serving::Request& request : data.requests) {
    EXPECT_EQ(request.outcome, serving::Outcome::kCancelled);
    EXPECT_TRUE(request.e2e.has_value());
  }
}

TEST_F(LevelRun, StopsWhenItIsAskedTo) {
  spec_.levels = {{.per_s = 20, .sending = 600 * kS}, {.per_s = 20, .sending = 600 * kS}};
  ASSERT_TRUE(RunLoad(spec_, {.level = {.is_stopped = [] { return true; }}}).ok());
  const serving::ServingData data = Recorded();
  ASSERT_EQ(data.levels.size(), 1U);
  EXPECT_TRUE(data.levels[0].was_stopped);
}

TEST_F(LevelRun, AServerThatIsNotThereIsAnError) {
  server_->Stop(std::chrono::milliseconds(0));
  spec_.levels = {{.per_s = 1000, .sending = 600 * kS}};
  EXPECT_EQ(RunLoad(spec_, {}).code(), StatusCode::kIo);
}

TEST_F(LevelRun, AConnectionThatTheServerEndedIsReplaced) {
  // The server ends idle connections after a while; requests come after that.
  server_->Stop(std::chrono::milliseconds(0));
  http::ServerOptions options;
  options.idle_time = std::chrono::milliseconds(20);
  auto server = http::Server::Start(options, handler_);
  ASSERT_TRUE(server.ok());
  server_ = std::move(*server);
  spec_.target.address.port = std::to_string(server_->port());
  spec_.arrivals = Arrivals::kConstant;
  spec_.levels = {{.per_s = 10, .sending = kS / 2}};
  ASSERT_TRUE(RunLoad(spec_, {}).ok());
  for (const serving::Request& request : Recorded().requests)
    EXPECT_EQ(request.outcome, serving::Outcome::kDone) << request.problem;
}

}  // namespace
}  // namespace rankscope::load
