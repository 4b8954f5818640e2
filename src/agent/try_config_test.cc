#include "agent/try_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rankscope::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

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

TEST(TryConfig, CertificatesAndCommandsAreLookedAt) {
  const std::string folder = testing::TempDir() + "/try_config" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/no.pem") << "nothing of that kind\n";
  AgentConfig config;
  config.rpc_listen = config.metrics_listen = "";
  config.kineto_enabled = false;
  config.server_ca_file = config.server_cert_file = config.server_key_file = folder + "/no.pem";
  config.drain_command = {"/no/such/program"};
  EXPECT_THAT(TryConfig(config).problems,
              UnorderedElementsAre(
                  "server.ca_file: " + folder + "/no.pem: has no certificates in PEM form",
                  "server.cert_file: " + folder + "/no.pem: has no certificate in PEM form",
                  "drain.command: /no/such/program: No such file or directory"));
  std::filesystem::remove_all(folder);
}

TEST(Settings, AllThatIsWrongOfAListIsTold) {
  AgentConfig config;
  config.host_name = "node\x1b[2J";
  config.telemetry_intervals = {"laod=5", "load=x", "load=5"};
  config.serving_pages = {"nothing", "neither"};
  EXPECT_EQ(ProblemsOf(config).size(), 5U);
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
