// Settings: what the documentation says of them, and intervals.
#include "agent/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/telemetry/intervals.h"
#include "base/file.h"

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;

std::string DefaultOf(const Setting& setting) {
  const AgentConfig config;
  if (const auto* text = std::get_if<std::string AgentConfig::*>(&setting.place))
    return config.*(*text);
  if (const auto* flag = std::get_if<bool AgentConfig::*>(&setting.place))
    return config.*(*flag) ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t AgentConfig::*>(&setting.place))
    return std::to_string(config.*(*number));
  return "";
}

TEST(Settings, AreInTheDocumentationAsTheyAre) {
  const char* const source = std::getenv("RANKSCOPE_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "RANKSCOPE_SOURCE_DIR is not set";
  const auto page = ReadFile(std::string(source) + "/docs/agent.md");
  ASSERT_TRUE(page.ok()) << page.status().message();
  for (const Setting& setting : Settings()) {
    const std::string value = DefaultOf(setting);
    const std::string line = fmt::format("| `{}` | {} | {} |\n", setting.key,
                                         value.empty() ? "" : "`" + value + "`", setting.doc);
    // The page itself would bury what is missing.
    EXPECT_NE(page->find(line), std::string::npos) << "docs/agent.md lacks " << line;
  }
}

TEST(Settings, ListsAreReplacedAndSingleValuesAreSingle) {
  AgentConfig config;
  EXPECT_TRUE(SetValues("triggers.events", {"xid", "oom_kill"}, config).ok());
  EXPECT_TRUE(SetValues("triggers.events", {"xid"}, config).ok());
  EXPECT_EQ(config.triggers_events, std::vector<std::string>{"xid"});
  EXPECT_FALSE(SetValues("host.name", {"a", "b"}, config).ok());
  EXPECT_TRUE(CheckConfig(config).ok());
  config.capture_folder = "/data/a=b";
  EXPECT_THAT(CheckConfig(config).message(), HasSubstr("capture.folder"));
}

TEST(Settings, AddressesOfDcgmsHostEngine) {
  AgentConfig config;
  for (const char* const host : {"127.0.0.1:5555", "node1", "unix:///run/nv-hostengine"}) {
    config.device_dcgm_host = host;
    EXPECT_TRUE(CheckConfig(config).ok()) << host;
  }
  for (const char* const host : {"node1:x", "unix://run", "http://node1:5555/", "a/b"}) {
    config.device_dcgm_host = host;
    EXPECT_THAT(CheckConfig(config).message(), HasSubstr("device.dcgm_host: '")) << host;
  }
  config.device_dcgm_host = "node1";
  config.device_dcgm_library = "";
  EXPECT_THAT(CheckConfig(config).message(), HasSubstr("without device.dcgm_library"));
}

TEST(Intervals, OfSourcesThatThereAre) {
  const auto intervals = ParseIntervals({"cpu=5", "disk=0"});
  ASSERT_TRUE(intervals.ok());
  const std::vector<Source> sources = WithIntervals(HostSources(), *intervals);
  EXPECT_EQ(sources.size() + 1, HostSources().size());
  EXPECT_EQ(sources.front().name, "cpu");
  EXPECT_EQ(sources.front().interval, std::chrono::seconds(5));
  EXPECT_THAT(ParseIntervals({"dsk=5"}).status().message(), HasSubstr("did you mean disk?"));
  EXPECT_THAT(ParseIntervals({"cpu"}).status().message(), HasSubstr("cpu=SECONDS"));
  EXPECT_FALSE(ParseIntervals({"cpu=-1"}).ok());
  EXPECT_FALSE(ParseIntervals({"cpu=9999"}).ok());
}

}  // namespace
}  // namespace rankscope::agent
