// Bytes as they were seen on a socket of libkineto, and everything that they must not be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "wire/kineto_config.h"
#include "wire/kineto_message.h"
#include "wire/local_socket.h"
#include "wire/rpc_frame.h"

namespace rankscope::wire {
namespace {

using ::testing::HasSubstr;

std::string Hex(std::string_view digits) {
  std::string bytes;
  std::string pair;
  for (const char c : digits) {
    if (c == ' ') continue;
    pair += c;
    if (pair.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  return bytes;
}

std::string Head(std::uint64_t size, std::string_view type) {
  std::string head(reinterpret_cast<const char*>(&size), 8);
  head += type;
  head.resize(40, '\0');
  return head;
}

TEST(KinetoMessage, AContextAsItWasSeen) {
  const std::string bytes = Head(16, "ctxt") + Hex("03000000 93410000 9210000000000000");
  const auto message = ParseKinetoMessage(bytes);
  ASSERT_TRUE(message.ok()) << message.status().message();
  const auto& context = std::get<KinetoContext>(*message);
  EXPECT_EQ(context.gpu, 3);
  EXPECT_EQ(context.pid, 16787);
  EXPECT_EQ(context.job, 4242);
  EXPECT_EQ(ToDatagram(context), bytes);
}

TEST(KinetoMessage, APollAsItWasSeen) {
  const std::string bytes =
      Head(40, "req") + Hex("02000000 06000000 0000000000000000 42420000 41420000 3d420000 "
                            "3c420000 2c0d0000 1a0d0000");
  ASSERT_EQ(bytes.size(), 80u);
  const auto message = ParseKinetoMessage(bytes);
  ASSERT_TRUE(message.ok()) << message.status().message();
  const auto& poll = std::get<KinetoPoll>(*message);
  EXPECT_TRUE(poll.IsIdle());
  EXPECT_EQ(poll.job, 0);
  EXPECT_THAT(poll.pids, ::testing::ElementsAre(0x4242, 0x4241, 0x423d, 0x423c, 0xd2c, 0xd1a));
  EXPECT_EQ(ToDatagram(poll), bytes);
}

TEST(KinetoMessage, RepliesAreAHeadAndTheText) {
  EXPECT_EQ(KinetoConfigReply("").size(), 40u);
  EXPECT_EQ(KinetoConfigReply("A=B\n"), Head(4, "req") + "A=B\n");
  EXPECT_EQ(KinetoContextReply(-1), Head(4, "ctxt") + Hex("ffffffff"));
  EXPECT_EQ(*ParseKinetoReply(KinetoConfigReply("A=B\n"), "req"), "A=B\n");
  EXPECT_FALSE(ParseKinetoReply(KinetoConfigReply(""), "ctxt").ok());
}

TEST(KinetoMessage, WhatIsNoneIsRefused) {
  const std::string poll = ToDatagram(KinetoPoll{.type = 2, .pids = {7, 6}});
  for (std::size_t size = 0; size < poll.size(); ++size)
    EXPECT_FALSE(ParseKinetoMessage(poll.substr(0, size)).ok()) << size;
  EXPECT_FALSE(ParseKinetoMessage(poll + "x").ok());
  EXPECT_FALSE(ParseKinetoMessage(Head(16, "req2") + std::string(16, '\0')).ok());
  EXPECT_FALSE(ParseKinetoMessage(Head(16, "reqq") + std::string(16, '\0')).ok());
  EXPECT_FALSE(ParseKinetoMessage(Head(16, std::string(32, 'x')) + std::string(16, '\0')).ok());
  // More pids than there are, none, fewer than none, and a first that is none.
  for (const char* count : {"03000000", "00000000", "ffffffff", "ffffff7f"})
    EXPECT_FALSE(ParseKinetoMessage(Head(24, "req") + Hex("02000000") + Hex(count) +
                                    Hex("0000000000000000 07000000 06000000"))
                     .ok())
        << count;
  EXPECT_FALSE(ParseKinetoMessage(ToDatagram(KinetoPoll{.type = 2, .pids = {0}})).ok());
  EXPECT_FALSE(
      ParseKinetoMessage(ToDatagram(KinetoPoll{
                             .type = 2, .pids = std::vector<std::int32_t>(kMostKinetoPids + 1, 9)}))
          .ok());
}

TEST(RpcFrame, ComesInPieces) {
  const std::string frame = ToFrame(R"({"fn":"getStatus"})");
  EXPECT_EQ(frame.substr(0, 4), Hex("12000000"));
  for (std::size_t size = 0; size < frame.size(); ++size)
    EXPECT_EQ(*FrameIn(frame.substr(0, size)), std::nullopt);
  EXPECT_EQ(**FrameIn(frame + "more"), R"({"fn":"getStatus"})");
  EXPECT_FALSE(FrameIn(Hex("ffffffff")).ok());
  EXPECT_FALSE(FrameIn(Hex("00000040")).ok());
}

TEST(KinetoConfig, IterationsCarryATimeInCaseNobodyCounts) {
  const auto text = ToConfigText({.log_file = "/tmp/t.json",
                                  .iterations = 5,
                                  .iteration_roundup = 50,
                                  .stacks = true,
                                  .trace_id = "s1"});
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text,
            "ACTIVITIES_LOG_FILE=/tmp/t.json\nPROFILE_START_ITERATION=0\n"
            "PROFILE_START_ITERATION_ROUNDUP=50\nACTIVITIES_ITERATIONS=5\n"
            "ACTIVITIES_DURATION_MSECS=500\nACTIVITIES_WARMUP_PERIOD_SECS=5\n"
            "PROFILE_REPORT_INPUT_SHAPES=false\nPROFILE_WITH_STACK=true\nPROFILE_WITH_FLOPS=false\n"
            "PROFILE_WITH_MODULES=false\nREQUEST_TRACE_ID=s1\n");
}

TEST(KinetoConfig, OnlyWhatKinetoCanRead) {
  EXPECT_FALSE(ToConfigText({.log_file = "/tmp/a=b.json"}).ok());
  EXPECT_FALSE(ToConfigText({.log_file = "/tmp/a#b.json"}).ok());
  EXPECT_FALSE(ToConfigText({.log_file = "/tmp/a\nPROFILE_MEMORY.json"}).ok());
  EXPECT_FALSE(ToConfigText({.log_file = "relative.json"}).ok());
  EXPECT_FALSE(
      ToConfigText({.log_file = "/tmp/a.json", .duration_ms = std::int64_t{1} << 40}).ok());
  EXPECT_TRUE(CheckConfigText("# a comment\n  A = b # and more\n\nUNKNOWN=x y\n").ok());
  EXPECT_THAT(CheckConfigText("A=b\nGARBAGE LINE\n").message(), HasSubstr("line 2"));
  EXPECT_FALSE(CheckConfigText("A=b=c").ok());
  EXPECT_FALSE(CheckConfigText("A=").ok());
  EXPECT_FALSE(CheckConfigText("ACTIVITIES_DURATION_MSECS=many").ok());
  EXPECT_FALSE(CheckConfigText("PROFILE_WITH_STACK=perhaps").ok());
  EXPECT_TRUE(CheckConfigText("PROFILE_WITH_STACK=TRUE\nPROFILE_START_ITERATION=-1").ok());
  EXPECT_FALSE(CheckConfigText(std::string_view("A=b\0c", 5)).ok());
  EXPECT_EQ(*ValueIn("A=1\nA = 2 # x\nB=3", "A"), "2");
  EXPECT_EQ(WithValue("A=1\nB=2\n", "A", "9"), "B=2\nA=9\n");
}

TEST(KinetoConfig, WhereTheTraceIs) {
  EXPECT_EQ(TracePath("/d/a.pt.trace.json", 7), "/d/a_7.pt.trace.json");
  EXPECT_EQ(TracePath("/d/a.json", 7), "/d/a_7.json");
  EXPECT_EQ(TracePath("/d/a", 7), "/d/a");
  EXPECT_EQ(SnapshotPath("/d/a.pickle", 7), "/d/a_7.pickle");
  EXPECT_EQ(SnapshotPath("/d/a", 7), "/d/a_7.pickle");
  EXPECT_EQ(SnapshotPath("/d/a.json", 7), "/d/a_7.json");
  EXPECT_TRUE(IsAllowedPath("/tmp/a.json", ""));
  EXPECT_FALSE(IsAllowedPath("/tmp/../etc/a.json", ""));
  EXPECT_FALSE(IsAllowedPath("/data/a.json", ""));
  EXPECT_TRUE(IsAllowedPath("/data/a.json", "/data"));
  EXPECT_FALSE(IsAllowedPath("/database/a.json", "/data"));
}

TEST(LocalSocket, BothKindsOfNames) {
  const std::string folder = testing::TempDir() + "/sockets" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  for (const std::string& place : {std::string(), folder}) {
    const std::string name = "rs_test_" + std::to_string(getpid());
    auto server = LocalSocket::Bind(place, name);
    ASSERT_TRUE(server.ok()) << server.status().message();
    // Abstract: NUL, the name, NUL. In a folder: the path and NUL.
    const std::string address = *LocalSocket::AddressOf(place, name);
    EXPECT_EQ(address.size(), 2 + (place.empty() ? 1 : place.size() + 1) + name.size() + 1);
    EXPECT_EQ(address.back(), '\0');
    auto client = LocalSocket::Bind(place, name + "_client");
    ASSERT_TRUE(client.ok()) << client.status().message();
    EXPECT_FALSE(server->Receive(100).has_value());
    ASSERT_TRUE(client->SendTo(address, "hello").ok());
    const auto got = server->Receive(100);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->bytes, "hello");
    EXPECT_EQ(got->from.pid, getpid());
    EXPECT_EQ(got->from.uid, getuid());
    ASSERT_TRUE(server->SendTo(got->from.address, "back").ok());
    EXPECT_EQ(client->Receive(100)->bytes, "back");
    ASSERT_TRUE(client->SendTo(address, std::string(101, 'x')).ok());
    EXPECT_TRUE(server->Receive(100)->is_cut);
    // Taken while it lives; a file that is left behind is replaced.
    EXPECT_FALSE(LocalSocket::Bind(place, name).ok());
  }
  {
    // As a daemon that was killed leaves it.
    auto killed = LocalSocket::Bind(folder, "left");
    ASSERT_TRUE(killed.ok());
    std::filesystem::create_hard_link(folder + "/left", folder + "/kept");
  }
  std::filesystem::rename(folder + "/kept", folder + "/left");
  EXPECT_TRUE(LocalSocket::Bind(folder, "left").ok());
  EXPECT_FALSE(LocalSocket::Bind(folder + "/none", "a").ok());
  EXPECT_FALSE(LocalSocket::Bind("", std::string(200, 'x')).ok());
}

}  // namespace
}  // namespace rankscope::wire
