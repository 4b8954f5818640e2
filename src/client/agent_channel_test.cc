#include "client/agent_channel.h"

#include <gtest/gtest.h>

namespace rankscope::client {
namespace {

TEST(AgentAddress, HasAPortOrTheUsualOne) {
  const auto parsed = [](std::string_view text) {
    const Result<AgentAddress> address = ParseAgentAddress(text);
    return address.ok() ? address->host + " " + std::to_string(address->port) : "none";
  };
  EXPECT_EQ(parsed("node1"), "node1 1778");
  EXPECT_EQ(parsed("node1:99"), "node1 99");
  EXPECT_EQ(parsed("[::1]:99"), "::1 99");
  EXPECT_EQ(parsed("[::1]"), "::1 1778");
  EXPECT_EQ(parsed("::1"), "::1 1778");
  for (const char* wrong : {"", ":99", "node1:", "node1:0", "node1:65536", "node1:x", "node1:9x"})
    EXPECT_EQ(parsed(wrong), "none") << wrong;
}

}  // namespace
}  // namespace rankscope::client
