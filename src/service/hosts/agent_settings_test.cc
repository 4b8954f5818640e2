// What the server says to the agents of its hosts.
#include "service/hosts/agent_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rankscope::service {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kFile = R"(
[triggers]
iteration = 0
events = ["xid"]

[[only]]
hosts = ["gpu-*"]
triggers.every_minutes = 60

[[only]]
hosts = ["gpu-1", "login?"]
team = "blue"
[only.triggers]
every_minutes = 5
)";

std::string JsonFor(std::string_view team, const std::string& host) {
  const auto parsed = ParseAgentSettings(kFile, "file");
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  const std::string json = SettingsFor(*parsed, team, host).json;
  return json.substr(json.find("\"values\""));
}

TEST(AgentSettings, LaterGroupsGoBeforeThoseBefore) {
  EXPECT_EQ(JsonFor("red", "cpu-1"),
            R"("values":{"triggers.events":["xid"],"triggers.iteration":["0"]}})");
  EXPECT_THAT(JsonFor("red", "gpu-1"), HasSubstr(R"("triggers.every_minutes":["60"])"));
  EXPECT_THAT(JsonFor("blue", "gpu-1"), HasSubstr(R"("triggers.every_minutes":["5"])"));
  EXPECT_THAT(JsonFor("blue", "login7"), HasSubstr(R"("triggers.every_minutes":["5"])"));
  const auto parsed = ParseAgentSettings(kFile, "file");
  EXPECT_EQ(SettingsFor(*parsed, "red", "a").id, SettingsFor(*parsed, "blue", "b").id);
  EXPECT_NE(SettingsFor(*parsed, "red", "a").id, SettingsFor(*parsed, "red", "gpu-2").id);
  EXPECT_EQ(SettingsFor({}, "red", "a").json, R"({"id":"","values":{}})");
}

TEST(AgentSettings, WhatIsWrongIsNamedWithItsLine) {
  const std::pair<std::string, const char*> wrong[] = {
      {"[triggers]\niteratoin = 1\n", "f: line 2: triggers.iteratoin is no setting"},
      {"[triggers]\niteratoin = 1\n", "did you mean triggers.iteration?"},
      {"[rpc]\ntrust_loopback = true\n", "line 2: rpc.trust_loopback is no setting"},
      {"[triggers]\nrules = [1]\n", "line 2: triggers.rules is a list of texts"},
      {"[triggers]\niteration = 1.5\n", "line 2: triggers.iteration is a text"},
      {"x\n", "f: line 1"},
      {"only = 3\n", "[[only]]"},
      {"[[only]]\ntriggers.iteration = 1\n", "whom it is for"},
      {"[[only]]\nhosts = []\n", "hosts names none"},
      {"[[only]]\nteam = 3\n", "team is a name"},
      {"# " + std::string(api::kMostCentralBytes, 'x'), "more than 65536 bytes"},
      {"[triggers]\nrules = [\"" + std::string(2000, 'x') + "\"]\n", "more than 1000 bytes"},
  };
  for (const auto& [text, why] : wrong)
    EXPECT_THAT(ParseAgentSettings(text, "f").status().message(), HasSubstr(why));
}

TEST(AgentSettings, AFileThatIsBrokenLaterLeavesWhatItSaid) {
  const std::string path = testing::TempDir() + "/settings" + std::to_string(getpid()) + ".toml";
  const auto write = [&](std::string_view text) {
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
  };
  std::string said;
  const auto hear = [&](std::string_view text) { said = text; };
  EXPECT_FALSE(AgentSettings::Open(path + "none", hear).ok());
  write("[triggers]\niteration = 1\n");
  const auto opened = AgentSettings::Open(path, hear);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const std::string first = (*opened)->For("", "a").id;
  EXPECT_EQ(said, "");
  write("[triggers]\niteration = \n");
  EXPECT_EQ((*opened)->For("", "a").id, first);
  EXPECT_THAT(said, HasSubstr("agents keep what it said before"));
  said.clear();
  EXPECT_EQ((*opened)->For("", "a").id, first);
  EXPECT_EQ(said, "");  // once
  write("[triggers]\niteration = 2\n");
  EXPECT_NE((*opened)->For("", "a").id, first);
  std::filesystem::remove(path);
  EXPECT_NE((*opened)->For("", "a").id, first);
  EXPECT_THAT(said, HasSubstr("agents keep"));
}

}  // namespace
}  // namespace rankscope::service
