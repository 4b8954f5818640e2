// The server with the client of this folder, over real connections.
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/until.h"
#include "http/client.h"

namespace rankscope::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Reply TextReply(int status, std::string text) {
  Reply reply;
  reply.status = status;
  reply.body = std::move(text);
  return reply;
}

// Gives back what was sent.
class Echo final : public Exchange {
 public:
  explicit Echo(std::string target) : target_(std::move(target)) {}
  std::uint64_t MostBytes() const override { return 4 << 20; }
  Status Take(std::string_view piece) override {
    if (target_ == "/refuse") return Error(StatusCode::kResource, "full");
    body_ += piece;
    return OkStatus();
  }
  Reply Finish(bool is_whole) override { return TextReply(is_whole ? 200 : 507, body_); }

 private:
  std::string target_;
  std::string body_;
};

// Two texts, then nothing for as long as it is heard.
class Ticks final : public Stream {
 public:
  std::optional<std::string> Take() override {
    if (taken_ == 2) return std::nullopt;
    ++taken_;
    return "tick " + std::to_string(taken_) + "\n";
  }
  void OnReady(std::function<void()>) override {}
  std::string Heartbeat() override { return ""; }

 private:
  int taken_ = 0;
};

// Throws at one of its moments.
class Thrower final : public Exchange {
 public:
  explicit Thrower(std::string moment) : moment_(std::move(moment)) {}
  std::uint64_t MostBytes() const override { return 100; }
  Status Take(std::string_view) override { return Throw("take"), OkStatus(); }
  Reply Finish(bool) override {
    Throw("finish");
    Reply reply;
    reply.body = Pending{.start = [this_ = *this] { return this_.Throw("start"), Pending::kDone; },
                         .finish = [this_ = *this] { return this_.Throw("end"), Reply(); },
                         .cancel = [] {}};
    return reply;
  }

 private:
  void Throw(std::string_view moment) const {
    if (moment == moment_) throw std::out_of_range(moment_);
  }
  std::string moment_;
};

// A reply that another thread works for.
class Worked final : public Exchange {
 public:
  struct Work {
    ~Work() {
      thread.join();
      close(event);
    }
    const int event = eventfd(0, EFD_CLOEXEC);
    std::atomic<bool> is_done = false;
    std::thread thread{[this] {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      is_done = true;
      eventfd_write(event, 1);
    }};
  };
  std::uint64_t MostBytes() const override { return 0; }
  Status Take(std::string_view) override { return OkStatus(); }
  Reply Finish(bool) override {
    const auto work = std::make_shared<Work>();
    Reply reply;
    reply.body = Pending{.start = [work] { return work->event; },
                         .finish = [work] { return TextReply(200, work->is_done ? "done" : ""); },
                         .cancel = [] {}};
    return reply;
  }
};

class TestHandler final : public Handler {
 public:
  std::variant<Reply, std::unique_ptr<Exchange>> Begin(const Head& head) override {
    if (head.path == "/now") return TextReply(200, head.method + " " + head.peer);
    if (head.path == "/lines") {
      Reply reply = TextReply(200, "x");
      reply.fields.emplace_back("X-Odd", "a\r\nX-Forged: b");
      return reply;
    }
    if (head.path == "/file") {
      Reply reply;
      reply.body = FilePart{.path = file_, .offset = 10, .bytes = bytes_, .keep = nullptr};
      return reply;
    }
    if (head.path == "/ticks") {
      Reply reply;
      reply.body = std::make_shared<Ticks>();
      return reply;
    }
    if (head.path == "/throw/begin") throw std::out_of_range("begin");
    if (head.path.starts_with("/throw/")) return std::make_unique<Thrower>(head.path.substr(7));
    if (head.path == "/worked") return std::make_unique<Worked>();
    if (head.path == "/later" || head.path == "/never" || head.path == "/later/again")
      return std::make_unique<Later>(*this, head.path);
    return std::make_unique<Echo>(head.path);
  }
  Reply Refuse(int status, std::string_view sentence) override {
    return TextReply(status, std::string(sentence));
  }
  void OnServed(const Served& served) override {
    ++served_;
    sent_ += served.sent_bytes;
    const std::scoped_lock lock(mutex_);
    note_ = served.note;
  }

  // A reply that is ready at once, or never.
  class Later final : public Exchange {
   public:
    Later(TestHandler& owner, std::string path) : owner_(owner), path_(std::move(path)) {}
    std::uint64_t MostBytes() const override { return 0; }
    Status Take(std::string_view) override { return OkStatus(); }
    Reply Finish(bool) override {
      const auto event =
          std::shared_ptr<int>(new int(eventfd(path_ == "/never" ? 0 : 1, 0)), [](const int* raw) {
            close(*raw);
            delete raw;
          });
      Reply reply;
      reply.body = Pending{
          .start = [event, asked = std::make_shared<int>(
                               0)] { return ++*asked < 3 ? Pending::kAskAgain : *event; },
          .finish =
              [event, this_ = *this]() mutable {
                return this_.path_ == "/later/again" ? this_.After() : TextReply(200, "done");
              },
          .cancel = [event, &owner = owner_] { ++owner.cancelled_; }};
      return reply;
    }

    // What waits once more.
    Reply After() {
      path_ = "/later";
      return Finish(true);
    }

   private:
    TestHandler& owner_;
    std::string path_;
  };

  std::string file_;
  std::uint64_t bytes_ = 0;
  std::atomic<int> served_ = 0;
  std::atomic<int> cancelled_ = 0;
  std::mutex mutex_;
  std::string note_;
  std::atomic<std::uint64_t> sent_ = 0;
};

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.io_threads = 2;
    options_.blocking_threads = 2;
    auto server = Server::Start(options_, handler_);
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(*server);
    client_ = NewClient();
  }
  std::unique_ptr<Client> NewClient() const {
    return MakeClient({.host = "127.0.0.1", .port = std::to_string(server_->port())},
                      {.time = std::chrono::seconds(5)});
  }
  ClientReply Ask(const std::string& method, const std::string& target,
                  std::string_view body = "") {
    ClientRequest request{.method = method, .target = target};
    request.text = body;
    auto reply = client_->Send(request);
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return reply.ok() ? *reply : ClientReply{};
  }

  ServerOptions options_;
  TestHandler handler_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ServerTest, AnExceptionOfTheHandlerCostsItsRequestAlone) {
  for (const std::string moment : {"begin", "take", "finish", "start", "end"}) {
    const ClientReply reply = Ask("POST", "/throw/" + moment, "x");
    EXPECT_EQ(reply.status, 500) << moment;
    EXPECT_THAT(reply.body, Not(HasSubstr(moment)));
    const auto heard = [&] {
      const std::scoped_lock lock(handler_.mutex_);
      return handler_.note_ == moment;
    };
    // It is told after the reply is sent.
    EXPECT_TRUE(Until(heard)) << moment;
    EXPECT_EQ(Ask("GET", "/now").status, 200) << moment;
  }
}

// Also over loopback, where one address may have all connections.
TEST_F(ServerTest, WhoAsksNothingMakesRoom) {
  client_.reset();
  server_.reset();
  options_.most_connections = 100;
  SetUp();
  constexpr int kClients = 300;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(NewClient());
    const auto reply = clients.back()->Send({.method = "GET", .target = "/now"});
    ASSERT_TRUE(reply.ok()) << i << ": " << reply.status().message();
  }
  EXPECT_EQ(server_->numbers().turned_away, 0U);
  EXPECT_GE(server_->numbers().closed_idle, 200U);
  EXPECT_TRUE(Until([&] { return server_->numbers().connections <= 91; }));
}

TEST_F(ServerTest, AnswersOneRequestAfterTheOther) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("GET", "/now").body, "GET 127.0.0.1");
  EXPECT_EQ(Ask("HEAD", "/now").body, "");
  EXPECT_EQ(server_->numbers().accepted, 1u);
}

TEST_F(ServerTest, TakesBodiesOfAnySizeBelowTheLimit) {
  for (const std::size_t size : {0, 1, 100'000, 4 << 20}) {
    const std::string body(size, 'x');
    EXPECT_EQ(Ask("POST", "/", body).body, body) << size;
  }
  const ClientReply refused = Ask("POST", "/", std::string((4 << 20) + 1, 'x'));
  EXPECT_EQ(refused.status, 413);
  EXPECT_THAT(refused.body, HasSubstr("4194305 bytes"));
  EXPECT_EQ(Ask("POST", "/refuse", std::string(1 << 20, 'x')).status, 507);
}

TEST_F(ServerTest, AHandlersTextEndsNoLine) {
  EXPECT_FALSE(Find(Ask("GET", "/lines").fields, "x-forged"));
}

TEST_F(ServerTest, SendsPartsOfFiles) {
  char path[] = "/tmp/rankscope_http_XXXXXX";
  close(mkstemp(path));
  std::string content(2'000'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 3);
  std::ofstream(path, std::ios::binary) << content;
  handler_.file_ = path;
  handler_.bytes_ = 1'500'000;
  EXPECT_EQ(Ask("GET", "/file").body, content.substr(10, 1'500'000));
  // A file that became shorter breaks the reply off: nobody takes the part for the whole.
  truncate(path, 1'000'000);
  EXPECT_FALSE(client_->Send({.method = "GET", .target = "/file"}).ok());
  unlink(path);
}

TEST_F(ServerTest, SendsStreamsToTheirEnd) {
  EXPECT_EQ(Ask("GET", "/ticks").body, "tick 1\ntick 2\n");
}

TEST_F(ServerTest, WaitsForWhatTakesAWhile) {
  EXPECT_EQ(Ask("GET", "/later").body, "done");
  EXPECT_EQ(Ask("GET", "/later/again").body, "done") << "and for what takes one more";
}

// Connections that come and go all the time: what the reactor has heard of a closed one must not
// count for the descriptor that took its place.
TEST_F(ServerTest, FinishesNothingBeforeItIsDone) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 150; ++j) {
        const auto reply = NewClient()->Send({.method = "GET", .target = "/worked"});
        good += reply.ok() && reply->body == "done";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 16 * 150);
}

TEST_F(ServerTest, EndsWhatNobodyWaitsFor) {
  auto impatient = MakeClient({.host = "127.0.0.1", .port = std::to_string(server_->port())},
                              {.time = std::chrono::seconds(1)});
  EXPECT_FALSE(impatient->Send({.method = "GET", .target = "/never"}).ok());
  EXPECT_TRUE(Until([&] { return handler_.cancelled_ > 0; }));
  EXPECT_EQ(handler_.cancelled_, 1);
}

TEST_F(ServerTest, ServesManyAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const auto client = NewClient();
      for (int j = 0; j < 20; ++j) {
        const std::string body(static_cast<std::size_t>(i * 1000 + j), 'y');
        ClientRequest request{.method = "POST", .target = "/"};
        request.text = body;
        const auto reply = client->Send(request);
        good += reply.ok() && reply->body == body ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 320);
}

TEST_F(ServerTest, StopsWithIdleConnectionsAtOnce) {
  Ask("GET", "/now");
  const auto begin = std::chrono::steady_clock::now();
  server_->Stop(2 * kTestLimit);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kTestLimit);
  EXPECT_FALSE(client_->Send({.method = "GET", .target = "/now"}).ok());
}

TEST(ServerStart, SaysWhatIsWrong) {
  TestHandler handler;
  ServerOptions options;
  options.host = "nonsense";
  EXPECT_EQ(Server::Start(options, handler).status().code(), StatusCode::kInvalidArgument);
  options.host = "127.0.0.1";
  options.certificate_file = options.key_file = "/dev/null";
  EXPECT_EQ(Server::Start(options, handler).status().code(), StatusCode::kBadData);
}

TEST(ParseAddress, TakesServersAlone) {
  EXPECT_EQ(ParseAddress("http://127.0.0.1:8723")->Text(), "http://127.0.0.1:8723");
  EXPECT_EQ(ParseAddress("https://a.example/")->Text(), "https://a.example:443");
  EXPECT_EQ(ParseAddress("http://[::1]:80")->host, "::1");
  for (const char* text : {"", "x", "ftp://a", "http://", "http://a/b", "http://u@a", "http://a:x",
                           "http://[::1", "http://a:123456"}) {
    EXPECT_FALSE(ParseAddress(text).ok()) << text;
  }
}

}  // namespace
}  // namespace rankscope::http
