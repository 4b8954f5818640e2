// The recorder's promises: what is written, what is lost and counted, and that handles of requests
// that are over do nothing. Compiled as C++17.
#include "rankscope/request_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace rankscope::requests {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/recorder_test_XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
  }
  void TearDown() override {
    for (const char* name : {"/a", "/a.1"}) ::unlink((folder_ + name).c_str());
    ::rmdir(folder_.c_str());
  }

  std::string path(const std::string& name = "a") const { return folder_ + "/" + name; }
  // Without a thread of its own.
  Options Still() const {
    Options options;
    options.path = path();
    options.service = "ranker";
    options.version = "1.2";
    options.flush_every = std::chrono::milliseconds(0);
    return options;
  }
  std::vector<std::string> Lines(const std::string& name = "a") const {
    std::ifstream file(path(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  // Those of requests.
  std::vector<std::string> Requests(const std::string& name = "a") const {
    std::vector<std::string> requests;
    for (const std::string& line : Lines(name))
      if (line.rfind("{\"id\":", 0) == 0) requests.push_back(line);
    return requests;
  }

  std::string folder_;
};

TEST_F(RecorderTest, ARequestIsALine) {
  Recorder recorder(Still());
  ASSERT_EQ(recorder.problem(), "");
  Request request = recorder.See("rank", 1000);
  request.Dequeue(2000);
  request.BeginHandler(2500);
  request.SetBatch(7, 8);
  request.SetConnection(3);
  request.EndHandler(9000);
  request.Sent(9500);
  request.Finish();
  recorder.Flush();
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0],
              StartsWith(R"({"rankscope_requests":1,"unit":"ns","clock":"CLOCK_MONOTONIC",)"));
  EXPECT_THAT(lines[0],
              HasSubstr(R"("service":"ranker","version":"1.2","recorder":"C++ 1","dropped":0})"));
  EXPECT_EQ(lines[1],
            R"({"id":"1","method":"rank","arrival":1000,"dequeue":2000,"begin":2500,)"
            R"("end":9000,"sent":9500,"batch":7,"batch_size":8,"status":"done","thread":)" +
                std::to_string(::syscall(SYS_gettid)) + R"(,"connection":3})");
}

TEST_F(RecorderTest, WhatIsNotKnownIsLeftOut) {
  Recorder recorder(Still());
  Request request = recorder.See("rank");
  request.SetId("a\"\\\n\xc3\xa4\xff");
  request.Fail(13);
  request.Cancel();  // a failure stays one
  request.Finish();
  recorder.Flush();
  ASSERT_EQ(Requests().size(), 1u);
  const std::string line = Requests()[0];
  EXPECT_THAT(line,
              StartsWith("{\"id\":\"a\\\"\\\\\\u000a\xc3\xa4?\",\"method\":\"rank\",\"seen\":"));
  EXPECT_THAT(line, EndsWith(R"("status":"failed","code":13})"));
  for (const char* name : {"arrival", "dequeue", "begin", "\"end", "sent", "lock", "batch"})
    EXPECT_THAT(line, Not(HasSubstr(name)));
}

TEST_F(RecorderTest, TextsAreCutAndStayUtf8) {
  Recorder recorder(Still());
  Request request = recorder.See(std::string(79, 'm') + "\xc3\xa4");
  request.Finish();
  recorder.Flush();
  ASSERT_EQ(Requests().size(), 1u);
  EXPECT_THAT(Requests()[0], HasSubstr(std::string(79, 'm') + "?\""));
}

TEST_F(RecorderTest, AHandleOfWhatIsOverDoesNothing) {
  Recorder recorder(Still());
  Request first = recorder.Arrive("first");
  first.Finish();
  Request second = recorder.Arrive("second");
  first.Fail(5);
  first.Finish();
  EXPECT_FALSE(first.IsUnderWay());
  EXPECT_TRUE(second.IsUnderWay());
  second.Finish();
  recorder.Flush();
  ASSERT_EQ(Requests().size(), 2u);
  EXPECT_THAT(Requests()[1], HasSubstr(R"("method":"second")"));
  EXPECT_THAT(Requests()[1], HasSubstr(R"("status":"done")"));
  Request none;
  none.Dequeue();
  none.Finish();
}

TEST_F(RecorderTest, WhatDoesNotFitIsCounted) {
  Options options = Still();
  options.ring = 4;
  Recorder recorder(options);
  for (int i = 0; i < 10; ++i) recorder.Arrive("rank").Finish();
  EXPECT_EQ(recorder.dropped(), 6u);
  recorder.Flush();
  EXPECT_EQ(Requests().size(), 4u);
  EXPECT_THAT(Lines()[1], EndsWith(R"("dropped":6})"));
}

TEST_F(RecorderTest, RequestsBeyondTheSlotsAreCounted) {
  Options options = Still();
  options.most_under_way = 2;
  Recorder recorder(options);
  Request first = recorder.Arrive("rank"), second = recorder.Arrive("rank");
  EXPECT_FALSE(recorder.Arrive("rank").IsUnderWay());
  EXPECT_EQ(recorder.dropped(), 1u);
  first.Finish();
  EXPECT_TRUE(second.IsUnderWay());
  EXPECT_TRUE(recorder.Arrive("rank").IsUnderWay());
}

TEST_F(RecorderTest, TheFileIsBounded) {
  Options options = Still();
  options.most_bytes = 4000;
  Recorder recorder(options);
  for (int i = 0; i < 200; ++i) {
    recorder.Arrive("rank").Finish();
    recorder.Flush();
  }
  struct stat now {
  }, before{};
  ASSERT_EQ(::stat(path().c_str(), &now), 0);
  ASSERT_EQ(::stat(path("a.1").c_str(), &before), 0);
  // Each may exceed its half by what is written at once.
  EXPECT_LE(now.st_size + before.st_size, 4000 + 2 * 400);
  EXPECT_THAT(Lines()[0], HasSubstr("rankscope_requests"));
  EXPECT_THAT(Lines("a.1")[0], HasSubstr("rankscope_requests"));
  EXPECT_EQ(recorder.dropped(), 0u);
  EXPECT_THAT(Requests().back(), HasSubstr(R"("id":"200")"));
}

TEST_F(RecorderTest, AFileThatCannotBeWrittenStopsNobody) {
  Options options = Still();
  options.path = path("no/such");
  Recorder recorder(options);
  EXPECT_THAT(recorder.problem(), HasSubstr("No such file"));
  Request request = recorder.Arrive("rank");
  EXPECT_FALSE(request.IsUnderWay());
  HandlerScope handler(request);
  recorder.Flush();
}

TEST_F(RecorderTest, LocksBelongToTheRequestOfTheThread) {
  Recorder recorder(Still());
  std::mutex mutex;
  Request request = recorder.Arrive("rank");
  std::unique_lock<std::mutex> other(mutex);
  std::atomic<bool> begins{false};
  std::int64_t truth = 0;
  std::thread worker([&] {
    HandlerScope handler(request);
    const std::int64_t begin = Now();
    begins = true;
    {
      LockGuard<std::mutex> lock(mutex, "index");
      truth = Now() - begin;
    }
    { LockGuard<std::mutex> lock(mutex, "cache"); }
    handler.End();
    EXPECT_FALSE(Current().IsUnderWay());
    request.Sent();
    request.Finish();
  });
  while (!begins) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  other.unlock();
  worker.join();
  // Without a request there is nobody to wait.
  { LockGuard<std::mutex> lock(mutex, "index"); }
  recorder.Flush();
  ASSERT_EQ(Requests().size(), 1u);
  const std::string line = Requests()[0];
  const auto number = [&](const std::string& name) {
    const std::size_t at = line.find("\"" + name + "\":");
    return at == std::string::npos ? -1 : std::stoll(line.substr(at + name.size() + 3));
  };
  EXPECT_GE(number("lock_wait"), 1'000'000);
  EXPECT_LE(number("lock_wait"), truth);
  EXPECT_GE(number("lock_held"), 0);
  EXPECT_LE(number("lock_wait"), number("end") - number("begin"));
  EXPECT_THAT(line, HasSubstr(R"("lock":"index")"));
}

TEST_F(RecorderTest, SamplesTellWhereRequestsAre) {
  Recorder recorder(Still());
  Request queued = recorder.Arrive("a"), running = recorder.Arrive("a");
  Request sending = recorder.Arrive("a");
  running.Dequeue();
  sending.BeginHandler();
  sending.EndHandler();
  recorder.Flush();
  EXPECT_THAT(Lines()[1], HasSubstr(R"("queued":1,"running":1,"sending":1,"dropped":0})"));
  for (Request* one : {&queued, &running, &sending}) one->Finish();
  recorder.Flush();
  recorder.Flush();
  recorder.Flush();
  // Idle once, and then silent.
  ASSERT_EQ(Lines().size(), 6u);
  EXPECT_THAT(Lines()[2], HasSubstr(R"("queued":0,"running":0,"sending":0)"));
}

TEST_F(RecorderTest, AQueueThatIsSeenBehindItIsNotSampled) {
  Recorder recorder(Still());
  Request request = recorder.See("a", 5);
  request.Dequeue();
  recorder.Flush();
  EXPECT_THAT(Lines()[1], Not(HasSubstr("queued")));
  EXPECT_THAT(Lines()[1], HasSubstr(R"("running":1)"));
  request.Finish();
}

TEST_F(RecorderTest, ManyThreadsLoseNothingUncounted) {
  Options options = Still();
  options.ring = 1024;
  options.flush_every = std::chrono::milliseconds(1);
  constexpr int kThreads = 4, kEach = 5000;
  std::uint64_t dropped = 0;
  {
    Recorder recorder(options);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kEach; ++j) {
          Request request = recorder.Arrive("rank");
          { HandlerScope handler(request); }
          request.Sent();
          request.Finish();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    recorder.Flush();
    dropped = recorder.dropped();
  }
  std::set<std::string> ids;
  for (const std::string& line : Requests()) {
    EXPECT_THAT(line, EndsWith("}"));
    EXPECT_TRUE(ids.insert(line.substr(0, line.find(','))).second);
  }
  EXPECT_EQ(ids.size() + dropped, static_cast<std::size_t>(kThreads * kEach));
}

TEST_F(RecorderTest, AProcessThatIsKilledLeavesWholeLines) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Options options = Still();
    options.flush_every = std::chrono::milliseconds(1);
    Recorder recorder(options);
    for (int i = 0;; ++i) {
      recorder.Arrive("rank").Finish();
      if (i == 100) recorder.Flush();
      if (i == 100 && ::write(told[1], "x", 1) != 1) ::_exit(1);
    }
  }
  char byte = 0;
  ASSERT_EQ(::read(told[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::close(told[0]);
  ::close(told[1]);
  const auto requests = Requests();
  EXPECT_GE(requests.size(), 100u);
  for (std::size_t i = 0; i + 1 < requests.size(); ++i) EXPECT_THAT(requests[i], EndsWith("}"));
}

TEST_F(RecorderTest, WhatAThreadWorkedOnEndsWithItsRecorder) {
  Request left;
  {
    Recorder recorder(Still());
    left = recorder.Arrive("rank");
    SetCurrent(left);
    EXPECT_TRUE(Current().IsUnderWay());
  }
  std::mutex mutex;
  { LockGuard<std::mutex> lock(mutex, "index"); }
  EXPECT_FALSE(Current().IsUnderWay());
}

}  // namespace
}  // namespace rankscope::requests
