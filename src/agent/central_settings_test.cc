// What a server may say to an agent, and what the agent makes of it.
#include "agent/central_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;

class CentralSettingsTest : public ::testing::Test {
 protected:
  CentralSettingsTest()
      : file_(testing::TempDir() + "/central" + std::to_string(getpid()) + ".json") {
    std::filesystem::remove(file_);
    local_.server_url = "http://127.0.0.1:8723";
    local_.rpc_listen = local_.metrics_listen = "127.0.0.1:0";
  }
  ~CentralSettingsTest() override { std::filesystem::remove(file_); }

  CentralSettings Make() {
    return CentralSettings(local_, file_, [this](std::string_view said) { said_ += said; });
  }
  static std::optional<AgentConfig> Take(CentralSettings& central, const std::string& json) {
    const auto reader = json::Reader::Parse(json);
    EXPECT_TRUE(reader.ok()) << json;
    return central.Take(reader->root());
  }
  static std::string StateOf(const CentralSettings& central) {
    std::string json;
    json::Writer writer(json);
    writer.BeginObject();
    central.WriteState(writer);
    writer.EndObject();
    return json;
  }

  const std::string file_;
  AgentConfig local_;
  std::string said_;
};

TEST_F(CentralSettingsTest, EveryCentralKeyIsASettingThatNamesNoPlace) {
  for (const std::string_view key : api::CentralKeys()) {
    const auto found = std::ranges::find(Settings(), key, &Setting::key);
    ASSERT_NE(found, Settings().end()) << key;
    // A text would be a path, an address or a name.
    EXPECT_FALSE(std::holds_alternative<std::string AgentConfig::*>(found->place)) << key;
    EXPECT_TRUE(key.starts_with("triggers.") || key.starts_with("capture.")) << key;
  }
  EXPECT_TRUE(std::ranges::is_sorted(api::CentralKeys()));
}

TEST_F(CentralSettingsTest, AreBelowTheHostsOwn) {
  ASSERT_TRUE(SetValues("triggers.most_per_hour", {"0"}, local_).ok());
  CentralSettings central = Make();
  const auto config = Take(central, R"({"id":"a","values":{"triggers.most_per_hour":["100"],
      "triggers.iteration":["7"],"triggers.events":["xid","oom_kill"],"capture.cpu":["true"]}})");
  ASSERT_TRUE(config.has_value()) << said_;
  EXPECT_EQ(config->triggers_most_per_hour, 0);  // this host's own
  EXPECT_EQ(config->triggers_iteration, 7);
  EXPECT_EQ(config->triggers_events, (std::vector<std::string>{"xid", "oom_kill"}));
  EXPECT_TRUE(config->capture_cpu);
  EXPECT_EQ(StateOf(central), R"({"settings":{"id":"a","refused":"","problem":""}})");
  EXPECT_EQ(central.numbers().in_force, 3U);
  EXPECT_THAT(said_, HasSubstr("this host's own stay for triggers.most_per_hour"));
  // The same again changes nothing, and none are the host's own.
  EXPECT_FALSE(Take(central, R"({"id":"a","values":{}})").has_value());
  const auto none = Take(central, R"({"id":"","values":{}})");
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->triggers_iteration, local_.triggers_iteration);
}

TEST_F(CentralSettingsTest, WhatIsWrongIsRefusedAsAWholeAndTheLastGoodOnesStay) {
  CentralSettings central = Make();
  ASSERT_TRUE(Take(central, R"({"id":"a","values":{"triggers.iteration":["7"]}})").has_value());
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"id":"b","values":{"rpc.trust_loopback":["true"]}})", "rpc.trust_loopback"},
      {R"({"id":"c","values":{"capture.folder":["/etc"]}})", "capture.folder"},
      {R"({"id":"d","values":{"kineto.enabled":["true"]}})", "kineto.enabled"},
      {R"({"id":"e","values":{"device.nvml_library":["/tmp/x.so"]}})", "device.nvml_library"},
      {R"({"id":"f","values":{"triggers.iteration":["8"],"triggers.round_up":["0"]}})",
       "triggers.round_up"},
      {R"({"id":"g","values":{"triggers.iteration":["8"],"triggers.rules":["nonsense"]}})",
       "nonsense"},
      {R"({"id":"h","values":{"triggers.rules":["no_such_number > 1 for 1s"]}})",
       "there is no metric rankscope_no_such_number"},
      {R"({"id":"i","values":{"triggers.iteration":[8]}})", "no list of texts"},
      {R"({"id":"j","values":{"triggers.iteration":["8","9"]}})", "one value"},
      {R"({"id":"k","values":{"triggers.iteration":["-8"]}})", "whole number"},
      {R"({"id":"l"})", "no values"},
  };
  for (const auto& [json, why] : wrong) {
    said_.clear();
    EXPECT_FALSE(Take(central, json).has_value()) << json;
    EXPECT_THAT(said_, HasSubstr(why));
    EXPECT_THAT(said_, HasSubstr("those before stay"));
    EXPECT_THAT(StateOf(central), HasSubstr(R"("id":"a","refused":")"));
    EXPECT_EQ(central.Config().triggers_iteration, 7);
    EXPECT_TRUE(central.numbers().are_refused);
    // Said once.
    said_.clear();
    EXPECT_FALSE(Take(central, json).has_value());
    EXPECT_EQ(said_, "");
  }
  EXPECT_FALSE(Take(central, R"({"id":"m","values":{"triggers.rules":[")" +
                                 std::string(api::kMostCentralBytes, 'x') + "\"]}}")
                   .has_value());
  EXPECT_THAT(said_, HasSubstr("bytes"));
  ASSERT_TRUE(Take(central, R"({"id":"n","values":{"triggers.iteration":["9"]}})").has_value());
  EXPECT_FALSE(central.numbers().are_refused);
}

TEST_F(CentralSettingsTest, TheLastGoodOnesAreThereAtTheNextStart) {
  {
    CentralSettings central = Make();
    ASSERT_TRUE(Take(central, R"({"id":"a","values":{"triggers.iteration":["7"]}})").has_value());
    EXPECT_FALSE(Take(central, R"({"id":"b","values":{"triggers.round_up":["0"]}})").has_value());
  }
  EXPECT_EQ(Make().Config().triggers_iteration, 7);
  EXPECT_THAT(StateOf(Make()), HasSubstr(R"("id":"a")"));
  // What was kept does not go before what the host says by now.
  ASSERT_TRUE(SetValues("triggers.iteration", {"3"}, local_).ok());
  EXPECT_EQ(Make().Config().triggers_iteration, 3);
  // Another server's are none of this one's, and what was damaged is none.
  local_ = AgentConfig();
  local_.server_url = "http://elsewhere:1";
  EXPECT_EQ(Make().Config().triggers_iteration, AgentConfig().triggers_iteration);
  local_.server_url = "http://127.0.0.1:8723";
  std::filesystem::resize_file(file_, 20);
  EXPECT_EQ(Make().Config().triggers_iteration, AgentConfig().triggers_iteration);
}

}  // namespace
}  // namespace rankscope::agent
