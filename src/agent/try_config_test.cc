#include "agent/try_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TryConfig, SaysWhatDoesNotWorkOnThisHost) {
  AgentConfig config;
  config.rpc_listen = "127.0.0.1:0";
  config.metrics_listen = "";
  config.kineto_enabled = false;
  EXPECT_THAT(TryConfig(config).problems, IsEmpty());
  config.server_token_file = "/no/such/file";
  config.capture_folder = "/dev/null";
  config.triggers_rules = {"device_power_wats > 5", "rankscope_load > 5"};
  const ConfigTrial trial = TryConfig(config);
  EXPECT_EQ(trial.problems.size(), 3U);
  EXPECT_THAT(trial.problems, Contains(HasSubstr("server.token_file: /no/such/file")));
  EXPECT_THAT(trial.problems, Contains("capture.folder: /dev/null: is no folder"));
  EXPECT_THAT(trial.problems, Contains(HasSubstr("did you mean rankscope_device_power_watts?")));
}

TEST(Settings, AllThatIsWrongIsTold) {
  AgentConfig config;
  config.triggers_round_up = 0;
  config.server_interval_s = 99;
  config.kineto_name = "a/b";
  EXPECT_EQ(ProblemsOf(config).size(), 3U);
  EXPECT_FALSE(CheckConfig(config).ok());
}

}  // namespace
}  // namespace rankscope::agent
