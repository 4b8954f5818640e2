// What is packed for the server, and where it cannot be sent.
#include "agent/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "agent/captures/process_info.h"

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Unpacked(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  char buffer[4096];
  for (int got = 0; (got = gzread(file, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  gzclose(file);
  return text;
}

class PackTraceTest : public ::testing::Test {
 protected:
  PackTraceTest() : folder_(testing::TempDir() + "/pack" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~PackTraceTest() override { std::filesystem::remove_all(folder_); }

  // As this process wrote it.
  std::shared_ptr<const WrittenFile> Written(const std::string& trace) {
    std::ofstream(folder_ + "/t.json") << trace;
    const auto folder = ProcessFolder::Open(
        "", {.pid = getpid(), .uid = getuid(), .start_ticks = StartTicksOf("", getpid())},
        folder_ + "/t.json");
    EXPECT_TRUE(folder.ok()) << folder.status().message();
    return *(*folder)->Find("t.json", 0);
  }
  Status Pack(const std::string& trace) {
    return PackTrace(*Written(trace), folder_ + "/t.json.gz", member_, "{\"host\":\"a\"}");
  }

  const std::string folder_;
  CaptureMember member_{.rank = 3, .world_size = 8};
};

TEST_F(PackTraceTest, ATraceThatSaysNoRankGetsOne) {
  ASSERT_TRUE(Pack("\n{\"schemaVersion\": 1, \"traceEvents\": []}").ok());
  EXPECT_EQ(
      Unpacked(folder_ + "/t.json.gz"),
      "{\"distributedInfo\":{\"rank\":3,\"world_size\":8},\"rankscope_capture\":{\"host\":\"a\"},"
      "\"schemaVersion\": 1, \"traceEvents\": []}");
}

TEST_F(PackTraceTest, ATraceKeepsTheRankThatItSays) {
  ASSERT_TRUE(Pack("{\"distributedInfo\": {\"rank\": 5}, \"traceEvents\": []}").ok());
  EXPECT_THAT(Unpacked(folder_ + "/t.json.gz"), Not(HasSubstr("\"rank\":3")));
}

TEST_F(PackTraceTest, WhatIsUnknownIsNotSaid) {
  member_ = {};
  ASSERT_TRUE(Pack("{\"traceEvents\": []}").ok());
  EXPECT_THAT(Unpacked(folder_ + "/t.json.gz"), StartsWith("{\"rankscope_capture\""));
}

TEST_F(PackTraceTest, WhatWasSampledBecomesEvents) {
  cpu_profile::Profile profile;
  profile.kind = "python";
  profile.period_ns = 10'000'000;
  profile.threads = {{7, "main"}};
  const cpu_profile::Node node =
      profile.stacks.Add(cpu_profile::kNoFrames, profile.stacks.AddFunction("f", "t.py", 3), 4);
  profile.samples = {{2'000'000'000, 0, node, false}};
  member_.inside = 12;
  const auto pack = [&](const std::string& trace) {
    EXPECT_TRUE(PackTrace(*Written(trace), folder_ + "/t.json.gz", member_, "{}", {profile}).ok());
    const std::string text = Unpacked(folder_ + "/t.json.gz");
    return text.substr(text.find("\"traceEvents\""));
  };
  const std::string event =
      "\n{\"ph\":\"X\",\"cat\":\"cpu_sample\",\"name\":\"t.py(3): f\",\"pid\":12,\"tid\":\"cpu 7 "
      "main "
      "(python)\",\"ts\":1000000.000,\"dur\":10000.000,\"args\":{\"samples\":1,\"sampler\":"
      "\"python\",\"function\":\"f\",\"file\":\"t.py\",\"line\":4,\"depth\":1}}";
  const std::string base = R"("baseTimeNanoseconds": 1000000000)";
  EXPECT_EQ(pack("{" + base + R"(, "traceEvents": []})"), "\"traceEvents\": [" + event + "\n]}");
  EXPECT_EQ(pack(R"({"traceEvents": [{}], )" + base + "}"),
            "\"traceEvents\": [" + event + ",\n{}], " + base + "}");
  EXPECT_EQ(pack(R"({"traceEvents": 5})"), "\"traceEvents\": 5}");
}

TEST_F(PackTraceTest, LargeOnesComeThrough) {
  const std::string events(3'000'000, 'x');
  ASSERT_TRUE(Pack("{\"traceEvents\": [\"" + events + "\"]}").ok());
  EXPECT_THAT(Unpacked(folder_ + "/t.json.gz"), HasSubstr(events + "\"]}"));
}

TEST_F(PackTraceTest, WhatIsNoneIsRefused) {
  EXPECT_FALSE(Pack("").ok());
  EXPECT_FALSE(Pack("no trace").ok());
  EXPECT_FALSE(Pack("[]").ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/t.json.gz"));
}

TEST_F(PackTraceTest, NobodyElseMayReadWhatIsPacked) {
  ASSERT_TRUE(Pack("{\"traceEvents\": []}").ok());
  EXPECT_EQ(std::filesystem::status(folder_ + "/t.json.gz").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace
}  // namespace rankscope::agent
