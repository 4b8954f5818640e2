// The loop with real sockets: Kineto's clients and RPC's side by side, and telemetry on its thread.
#include "agent/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "agent/telemetry/collector.h"
#include "agent/telemetry/prometheus.h"
#include "base/until.h"
#include "wire/kineto_message.h"
#include "wire/rpc_client.h"
#include "wire/rpc_frame.h"

namespace rankscope::agent {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

Now RealNow() {
  return {std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count(),
          std::chrono::duration_cast<std::chrono::microseconds>(
              std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

class LoopTest : public ::testing::Test {
 protected:
  LoopTest() : folder_(testing::TempDir() + "/loop" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    auto bound = wire::LocalSocket::Bind(folder_, wire::kDaemonName);
    EXPECT_TRUE(bound.ok()) << bound.status().message();
    Result<std::unique_ptr<Loop>> started = Loop::Start(
        {.rpc_host = "127.0.0.1", .tick = milliseconds(2)},
        std::make_unique<wire::LocalSocket>(std::move(*bound)), captures_, rpc_, RealNow, [this] {
          captures_.Tick(RealNow());
          captures_.Look(RealNow());
          ++ticks_;
        });
    EXPECT_TRUE(started.ok()) << started.status().message();
    loop_ = std::move(*started);
    const std::string address = loop_->rpc_address();
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
  ~LoopTest() override {
    loop_.reset();
    std::filesystem::remove_all(folder_);
  }

  Result<std::string> Ask(std::string_view json) {
    return wire::Call("127.0.0.1", port_, json, kTestLimit);
  }

  const std::string folder_;
  Captures captures_{"", {}};
  const Decisions decisions_;
  JobValues values_{RealNow};
  const Rpc rpc_{{captures_, decisions_, values_, {}, {}}, {"1.2.3", "host", "", {}}, RealNow};
  std::atomic<int> ticks_ = 0;
  std::unique_ptr<Loop> loop_;
  std::uint16_t port_ = 0;
};

TEST_F(LoopTest, ClientsOfBothKindsSideBySide) {
  constexpr int kClients = 4;
  constexpr int kPolls = 50;
  const std::string daemon = *wire::LocalSocket::AddressOf(folder_, wire::kDaemonName);
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      auto client = wire::LocalSocket::Bind(folder_, "client" + std::to_string(i));
      const std::string poll = wire::ToDatagram(wire::KinetoPoll{.type = 2, .pids = {getpid()}});
      for (int k = 0; k < kPolls; ++k) {
        if (!client->SendTo(daemon, poll).ok()) continue;
        std::optional<wire::Datagram> reply;
        Until([&] { return (reply = client->Receive(4096)).has_value(); });
        if (reply && wire::ParseKinetoReply(reply->bytes, "req").ok()) ++answered;
      }
    });
    threads.emplace_back([&] {
      for (int k = 0; k < kPolls; ++k) {
        const auto answer = Ask(R"({"fn":"listProcesses"})");
        if (answer.ok()) ++answered;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 2 * kClients * kPolls);
  EXPECT_EQ(loop_->numbers().datagrams, std::uint64_t{kClients * kPolls});
  EXPECT_EQ(captures_.Processes().size(), 1U);
  EXPECT_TRUE(Until([&] { return ticks_ > 3; }));
}

TEST_F(LoopTest, ARoundThatThrowsCostsItself) {
  std::atomic<int> rounds = 0;
  auto loop = Loop::Start({.rpc_host = "127.0.0.1", .tick = milliseconds(1)}, nullptr, captures_,
                          rpc_, RealNow, [&rounds] {
                            if (++rounds < 3) throw std::runtime_error("out of something");
                          });
  ASSERT_TRUE(loop.ok()) << loop.status().message();
  EXPECT_TRUE(Until([&] { return rounds > 3; }));
}

TEST_F(LoopTest, AnswersAreThoseOfTheRequests) {
  EXPECT_EQ(*Ask(R"({"fn":"getVersion"})"), R"({"version":"1.2.3"})");
  EXPECT_THAT(*Ask("nonsense"), HasSubstr("error"));
  EXPECT_THAT(*Ask(R"({"fn":"ping"})"), HasSubstr("unix_us"));
  EXPECT_FALSE(wire::Call("127.0.0.1", 1, "{}", milliseconds(500)).ok());
}

// A connection that says so many bytes of a frame.
class Flooder {
 public:
  Flooder(std::uint16_t port, std::size_t frame, std::size_t sent)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const std::string bytes = wire::ToFrame(std::string(frame, 'x')).substr(0, 4 + sent);
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t did = send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (did <= 0) break;
      at += static_cast<std::size_t>(did);
    }
  }
  Flooder(const Flooder&) = delete;
  Flooder& operator=(const Flooder&) = delete;
  ~Flooder() { close(socket_); }

  bool IsClosed() const {
    char byte = 0;
    const ssize_t got = recv(socket_, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }

 private:
  const int socket_;
};

TEST_F(LoopTest, OneCallerHasNotAllConnections) {
  std::vector<std::unique_ptr<Flooder>> idle;
  const std::size_t kMost = LoopOptions{}.most_of_caller;
  for (std::size_t i = 0; i < kMost; ++i) idle.push_back(std::make_unique<Flooder>(port_, 0, 0));
  ASSERT_TRUE(Until([&] { return loop_->numbers().requests == kMost; })) << "frames of 0 bytes";
  const Flooder further(port_, 0, 0);
  EXPECT_TRUE(Until([&] { return further.IsClosed(); }));
  EXPECT_EQ(loop_->numbers().turned_away, 1U);
  idle.clear();
  EXPECT_TRUE(Until([&] { return Ask(R"({"fn":"getStatus"})").ok(); }));
}

TEST_F(LoopTest, OneCallerHasNotAllMemory) {
  std::vector<std::unique_ptr<Flooder>> floods;
  constexpr std::size_t kFrame = wire::kMostFrameBytes;
  for (int i = 0; i < 20; ++i)
    floods.push_back(std::make_unique<Flooder>(port_, kFrame, kFrame - 1));
  const auto open = [&] {
    return std::ranges::count_if(floods, [](const auto& one) { return !one->IsClosed(); });
  };
  EXPECT_TRUE(Until([&] { return open() <= 4; }));
  floods.clear();
  EXPECT_TRUE(Until([&] { return Ask(R"({"fn":"getStatus"})").ok(); }));
}

TEST_F(LoopTest, WhoHasToShowATokenSendsSmallFrames) {
  const Rpc rpc({captures_, decisions_, values_, {}, {}}, {"1.2.3", "host", "secret", {}}, RealNow);
  auto loop = Loop::Start({.rpc_host = "127.0.0.1"}, nullptr, captures_, rpc, RealNow, [] {});
  ASSERT_TRUE(loop.ok()) << loop.status().message();
  const std::string address = (*loop)->rpc_address();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  const Flooder large(port, wire::kMostStrangersFrameBytes + 1, 0);
  EXPECT_TRUE(Until([&] { return large.IsClosed(); }));
  EXPECT_THAT(*wire::Call("127.0.0.1", port, R"({"fn":"getStatus","token":"secret"})", kTestLimit),
              HasSubstr("1"));
}

TEST_F(LoopTest, TheKernelSaysWhoAsks) {
  const std::string daemon = *wire::LocalSocket::AddressOf(folder_, wire::kDaemonName);
  auto client = wire::LocalSocket::Bind(folder_, "client");
  ASSERT_TRUE(
      client->SendTo(daemon, wire::ToDatagram(wire::KinetoPoll{.type = 2, .pids = {7}})).ok());
  ASSERT_TRUE(Until([&] { return client->Receive(4096).has_value(); }));
  EXPECT_EQ(captures_.Processes()[0].uid, getuid());
  EXPECT_THAT(*Ask(R"({"fn":"listProcesses"})"), HasSubstr("\"pid\":" + std::to_string(getpid())));
}

TEST(Collector, ASourceThatComesAndGoesIsNamedOnceEach) {
  const std::string root = testing::TempDir() + "/collector" + std::to_string(getpid());
  std::filesystem::create_directories(root + "/proc");
  std::mutex mutex;
  std::vector<std::string> said;
  const std::vector<Source> sources = {
      {"load", milliseconds(1), [](const std::string& at, Readings& readings) {
         for (const Source& source : HostSources()) {
           if (source.name == "load") return source.read(at, readings);
         }
         return Error(StatusCode::kInternal, "no such source");
       }}};
  Collector collector(root, sources, [&](std::string_view text) {
    const std::scoped_lock lock(mutex);
    said.emplace_back(text);
  });
  const auto count = [&] {
    const std::scoped_lock lock(mutex);
    return said.size();
  };
  collector.Start();
  EXPECT_TRUE(Until([&] { return collector.States()[0].errors >= 3; }));
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(collector.Last()[0]->readings.empty());
  std::ofstream(root + "/proc/new") << "0.5 1.5 bad 1/2 3\n";
  std::filesystem::rename(root + "/proc/new", root + "/proc/loadavg");
  EXPECT_TRUE(Until([&] { return count() == 2; }));
  EXPECT_TRUE(Until([&] { return !collector.Last()[0]->readings.empty(); }));
  EXPECT_EQ(PrometheusText(collector.Last()),
            "# HELP rankscope_load runnable and uninterruptible threads, averaged over minutes\n"
            "# TYPE rankscope_load gauge\nrankscope_load{minutes=\"1\"} 0.5\n"
            "rankscope_load{minutes=\"5\"} 1.5\n");
  EXPECT_GE(collector.States()[0].unreadable, 1U);
  std::filesystem::remove_all(root);
  EXPECT_TRUE(Until([&] { return count() == 3; }));
  EXPECT_TRUE(collector.Last()[0]->readings.empty()) << "what it said is no longer true";
}

TEST(Prometheus, LabelsAreEscapedAndOnce) {
  static constexpr Metric kA = {"a_total", quantity::Kind::kCounter, "help"};
  const auto snapshot =
      MakeSnapshot("a", {{&kA, {{"x", "a\"b\\c\nd"}}, 0.25}, {&kA, {{"x", "a\"b\\c\nd"}}, 2}}, {});
  EXPECT_EQ(PrometheusText({snapshot}),
            "# HELP a_total help\n# TYPE a_total counter\na_total{x=\"a\\\"b\\\\c\\nd\"} 0.25\n");
  EXPECT_EQ(PrometheusText({}), "");
}

TEST(CollectorTest, ASourceThatThrowsIsOneThatFails) {
  std::atomic<int> reads = 0;
  const Source source{.name = "odd",
                      .interval = milliseconds(1),
                      .read = [&](const std::string&, Readings&) -> Status {
                        if (++reads == 1) throw std::runtime_error("no such thing");
                        return OkStatus();
                      }};
  std::mutex mutex;
  std::string said;
  Collector collector(
      "", {source},
      [&](std::string_view text) {
        const std::scoped_lock lock(mutex);
        said += text;
      },
      RealNow);
  collector.Start();
  EXPECT_TRUE(Until([&] {
    const std::scoped_lock lock(mutex);
    return said == "odd: no such thingodd: there again";
  }));
}

}  // namespace
}  // namespace rankscope::agent
