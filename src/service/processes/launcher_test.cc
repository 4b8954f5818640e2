#include "service/processes/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rankscope::service {
namespace {

using testing::HasSubstr;

class LauncherTest : public testing::Test {
 protected:
  LauncherTest() {
    std::string pattern = testing::TempDir() + "/launcher_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~LauncherTest() override { std::filesystem::remove_all(folder_); }
  Result<LauncherConfig> Read(std::string_view text) {
    std::ofstream(folder_ + "/launcher.json") << text;
    return ReadLauncher(folder_ + "/launcher.json");
  }
  Result<std::string> Run(const LauncherConfig& config) {
    return Launch(
        config, {.run = "0123456789abcdef", .finding = "host-sync", .slo = "ttft=1s", .who = "ann"},
        folder_ + "/work");
  }
  std::string folder_;
};

TEST_F(LauncherTest, FillsInWordsAndVariables) {
  const auto config =
      Read(R"({"argv":["sh","-c","echo $0 $1 $2 $RANKSCOPE_RUN $RANKSCOPE_FINDING $RANKSCOPE_SLO )"
           R"($RANKSCOPE_USER","{run}","x{run}","{slo}"],"time_s":300})");
  ASSERT_TRUE(config.ok()) << config.status().message();
  const auto said = Run(*config);
  ASSERT_TRUE(said.ok()) << said.status().message();
  EXPECT_EQ(*said, "0123456789abcdef x{run} ttft=1s 0123456789abcdef host-sync ttft=1s ann");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/work"));
}

TEST_F(LauncherTest, ItsFailureIsSaid) {
  const auto said = Run(Read(R"({"argv":["sh","-c","echo no such queue >&2; exit 3"]})").value());
  EXPECT_EQ(said.status().code(), StatusCode::kBadData);
  EXPECT_THAT(said.status().message(), HasSubstr("ended with 3: no such queue"));
}

TEST_F(LauncherTest, WhatDoesNotHandOverIsEnded) {
  LauncherConfig config = Read(R"({"argv":["sleep","100000"]})").value();
  config.time = std::chrono::seconds(0);
  EXPECT_THAT(Run(config).status().message(), HasSubstr("took longer than its 0 s"));
}

TEST_F(LauncherTest, WhatPrintsWithoutAnEndIsEnded) {
  const auto said = Run(Read(R"({"argv":["yes"],"time_s":3600})").value());
  EXPECT_EQ(said.status().code(), StatusCode::kBadData);
  EXPECT_THAT(said.status().message(), HasSubstr("printed more than 16 MB"));
  EXPECT_LT(said.status().message().size(), 3000u);
}

TEST_F(LauncherTest, ASettingThatIsNoneIsRefused) {
  for (const auto& [text, words] :
       {std::pair("{", "launcher.json"), std::pair("{}", "argv is to be"),
        std::pair(R"({"argv":[]})", "argv is to be"), std::pair(R"({"argv":[1]})", "argv[0]"),
        std::pair(R"({"argv":["true"],"shell":true})", "shell"),
        std::pair(R"({"argv":["true"],"time_s":0})", "time_s"),
        std::pair(R"({"argv":["no-such-program-at-all"]})", "no program"),
        std::pair(R"({"argv":["/etc/passwd"]})", "no program")}) {
    const auto config = Read(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.status().message(), HasSubstr(words)) << text;
  }
  EXPECT_FALSE(ReadLauncher(folder_ + "/none").ok());
}

}  // namespace
}  // namespace rankscope::service
