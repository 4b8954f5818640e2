#include "client/push_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "client/fake_server_for_test.h"

namespace rankscope::client {
namespace {

using ::testing::HasSubstr;

class PushRunTest : public ::testing::Test {
 protected:
  // More than one part of 16 MiB.
  static constexpr std::size_t kBytes = (16 << 20) + 1000;

  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("push_run_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    content_.assign(kBytes, 'x');
    content_[kBytes / 3] = 'y';
    std::ofstream(folder_ / "rank0.json") << content_;
    files_ = {{"rank0.json", (folder_ / "rank0.json").string()}};
    run_.name = "job";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<Pushed> Push(const PushProgress& progress = {}) {
    const auto connect = [this]() -> Result<Server> {
      Server server(std::make_unique<FakeTransport>(fake_), "http://fake");
      server.BePatient(wait_, {.time = std::chrono::seconds(60), .on_first_wait = {}});
      return server;
    };
    return PushRun(connect, run_, files_, progress);
  }

  std::filesystem::path folder_;
  std::string content_;
  std::vector<store::LocalFile> files_;
  store::Run run_;
  FakeServer fake_;
  FakeWait wait_;
};

TEST_F(PushRunTest, SendsAllPartsAndFinishes) {
  std::uint64_t most = 0;
  const Result<Pushed> pushed = Push([&](std::uint64_t sent, std::uint64_t total) {
    most = std::max(most, sent);
    EXPECT_EQ(total, kBytes);
    return true;
  });
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_EQ(pushed->run, FakeServer::kRun);
  EXPECT_FALSE(pushed->was_there);
  EXPECT_EQ(most, kBytes);
  EXPECT_TRUE(fake_.files["rank0.json"].is_complete);
  EXPECT_EQ(fake_.files["rank0.json"].bytes, content_);
  EXPECT_EQ(fake_.state, "queued");
  EXPECT_EQ(fake_.requests.size(), 5u);  // make, HEAD, two parts, finish
}

// A small file waits for the server as long as a big one does, and its error is the server's.
TEST_F(PushRunTest, WaitsForASmallFileAsLongAsThereIsPatience) {
  std::ofstream(folder_ / "rank0.json", std::ios::trunc) << "small";
  fake_.takes_no_files = true;
  const Result<Pushed> pushed = Push();
  ASSERT_FALSE(pushed.ok());
  EXPECT_THAT(pushed.status().message(), HasSubstr("its disk is full"));
  EXPECT_GT(wait_.slept(), std::chrono::seconds(25));
  EXPECT_LE(wait_.slept(), std::chrono::seconds(61));
}

// In place of the big file.
class PushSmallFilesTest : public PushRunTest {
 protected:
  static constexpr std::size_t kFiles = 100;
  void SetUp() override {
    PushRunTest::SetUp();
    files_.clear();
    for (std::size_t i = 0; i < kFiles; ++i) {
      const std::string name = fmt::format("rank{}.json", i);
      std::ofstream(folder_ / name) << name;
      files_.push_back({name, (folder_ / name).string()});
      bytes_ += name.size();
    }
  }
  std::size_t Requests(std::string_view method) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        fake_.requests, [&](const std::string& request) { return request.starts_with(method); }));
  }
  std::uint64_t bytes_ = 0;
};

TEST_F(PushSmallFilesTest, SendsEachWithOneRequest) {
  std::uint64_t last = 0;
  const Result<Pushed> pushed = Push([&](std::uint64_t sent, std::uint64_t total) {
    EXPECT_EQ(total, bytes_);
    EXPECT_GT(sent, last);
    last = sent;
    return true;
  });
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_EQ(last, bytes_);
  EXPECT_EQ(fake_.requests.size(), kFiles + 2);  // make, finish
  ASSERT_EQ(fake_.files.size(), kFiles);
  for (const auto& [name, file] : fake_.files) EXPECT_EQ(file.bytes, name);
}

TEST_F(PushSmallFilesTest, SendsThoseThatAreMissing) {
  fake_.files["rank3.json"] = {"rank3.json", true};
  fake_.files["rank4.json"] = {"another", true};
  std::uint64_t most = 0;
  const Result<Pushed> pushed = Push([&](std::uint64_t sent, std::uint64_t) {
    most = std::max(most, sent);
    return true;
  });
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_EQ(Requests("PUT"), kFiles - 1);
  EXPECT_EQ(fake_.files["rank4.json"].bytes, "rank4.json");
  EXPECT_EQ(most, bytes_);
}

TEST_F(PushSmallFilesTest, SendsAgainWhatWasCutOff) {
  fake_.cuts = 1;
  ASSERT_TRUE(Push().ok());
  EXPECT_EQ(Requests("PUT"), kFiles + 1);
  EXPECT_EQ(fake_.files.size(), kFiles);
}

TEST_F(PushSmallFilesTest, EndsAtTheFirstThatIsWrong) {
  fake_.flips_bits = true;
  const Result<Pushed> pushed = Push();
  EXPECT_EQ(pushed.status().code(), StatusCode::kBadData);
  EXPECT_THAT(pushed.status().message(), HasSubstr("push again"));
  EXPECT_LE(Requests("PUT"), 8U);
  EXPECT_EQ(fake_.state, "uploading");
}

TEST_F(PushRunTest, GoesOnWhereAPartWasCutOff) {
  fake_.cuts = 3;
  const Result<Pushed> pushed = Push();
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_EQ(fake_.files["rank0.json"].bytes, content_);
}

TEST_F(PushRunTest, GoesOnWhereAnEarlierAttemptEnded) {
  fake_.files["rank0.json"].bytes = content_.substr(0, kBytes - 10);
  std::uint64_t first = 0;
  const Result<Pushed> pushed = Push([&](std::uint64_t sent, std::uint64_t) {
    if (first == 0) first = sent;
    return true;
  });
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_GE(first, kBytes - 10);
  EXPECT_EQ(fake_.files["rank0.json"].bytes, content_);
}

TEST_F(PushRunTest, SendsNothingOfAFileThatIsThere) {
  fake_.files["rank0.json"] = {content_, true};
  const Result<Pushed> pushed = Push();
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  for (const std::string& request : fake_.requests) EXPECT_FALSE(request.starts_with("PATCH"));
}

TEST_F(PushRunTest, ReplacesAnotherFileOfTheSameNameAndSize) {
  fake_.files["rank0.json"] = {std::string(kBytes, 'z'), true};
  ASSERT_TRUE(Push().ok());
  EXPECT_EQ(fake_.files["rank0.json"].bytes, content_);
}

TEST_F(PushRunTest, SendsNothingToARunThatIsFinished) {
  fake_.state = "ready";
  const Result<Pushed> pushed = Push();
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_TRUE(pushed->was_there);
  EXPECT_EQ(fake_.requests.size(), 1u);
}

TEST_F(PushRunTest, TheSameFilesUnderTheSameNameHaveOneKey) {
  ASSERT_TRUE(Push().ok());
  const std::string key = fake_.key;
  EXPECT_FALSE(key.empty());
  ASSERT_TRUE(Push().ok());
  EXPECT_EQ(fake_.key, key);
  run_.name = "other";
  ASSERT_TRUE(Push().ok());
  EXPECT_NE(fake_.key, key);
}

TEST_F(PushRunTest, SaysThatTheServerHasOtherBytes) {
  fake_.flips_bits = true;
  const Result<Pushed> pushed = Push();
  ASSERT_FALSE(pushed.ok());
  EXPECT_EQ(pushed.status().code(), StatusCode::kBadData);
  EXPECT_THAT(pushed.status().message(), HasSubstr("push again"));
  EXPECT_EQ(fake_.state, "uploading");
}

TEST_F(PushRunTest, EndsWhenProgressSaysSo) {
  const Result<Pushed> pushed = Push([](std::uint64_t, std::uint64_t) { return false; });
  EXPECT_EQ(pushed.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(fake_.state, "uploading");
}

TEST_F(PushRunTest, GivesUpOnAFileThatIsAlwaysCutOff) {
  fake_.cuts = 1'000'000;
  EXPECT_EQ(Push().status().code(), StatusCode::kIo);
}

TEST_F(PushRunTest, NamesAFileThatIsNotThere) {
  files_ = {{"rank1.json", (folder_ / "rank1.json").string()}};
  const Result<Pushed> pushed = Push();
  EXPECT_EQ(pushed.status().code(), StatusCode::kIo);
  EXPECT_THAT(pushed.status().message(), HasSubstr("rank1.json"));
  EXPECT_TRUE(fake_.requests.empty());
}

TEST_F(PushRunTest, WaitsForTheReport) {
  Server server(std::make_unique<FakeTransport>(fake_), "http://fake");
  fake_.later_states = {"queued", "analysing", "ready"};
  const Result<RunStatus> run = WaitForReport(server, FakeServer::kRun, wait_);
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(run->headline, "a headline");
  EXPECT_EQ(wait_.slept(), std::chrono::milliseconds(1000));
}

TEST_F(PushRunTest, TheReasonOfAFailureAndAStopEndTheWait) {
  Server server(std::make_unique<FakeTransport>(fake_), "http://fake");
  fake_.state = "failed";
  fake_.reason = "out of memory";
  const Result<RunStatus> failed = WaitForReport(server, FakeServer::kRun, wait_);
  EXPECT_EQ(failed.status().code(), StatusCode::kBadData);
  EXPECT_THAT(failed.status().message(), HasSubstr("out of memory"));
  fake_.state = "queued";
  wait_.is_stopped = true;
  EXPECT_EQ(WaitForReport(server, FakeServer::kRun, wait_).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace rankscope::client
