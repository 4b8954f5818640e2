#include "http/handler_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace rankscope::http {
namespace {

using ::testing::HasSubstr;

// Takes a body and answers by the function.
class Answers final : public Exchange {
 public:
  explicit Answers(std::function<Reply(const std::string& body)> answer)
      : answer_(std::move(answer)) {}
  std::uint64_t MostBytes() const override { return 100; }
  Status Take(std::string_view piece) override {
    body_ += piece;
    return OkStatus();
  }
  Reply Finish(bool is_whole) override {
    EXPECT_TRUE(is_whole);
    return answer_(body_);
  }

 private:
  const std::function<Reply(const std::string& body)> answer_;
  std::string body_;
};

class FakeHandler final : public Handler {
 public:
  std::variant<Reply, std::unique_ptr<Exchange>> Begin(const Head& head) override {
    seen = head;
    if (answer) return std::make_unique<Answers>(answer);
    return Reply{.status = 404, .fields = {}, .body = "none"};
  }
  Reply Refuse(int, std::string_view) override { return {}; }
  void OnServed(const Served&) override {}

  Head seen;
  std::function<Reply(const std::string& body)> answer;
};

class HandlerClientTest : public ::testing::Test {
 protected:
  HandlerClientTest() : done_(eventfd(0, EFD_CLOEXEC)) {}
  ~HandlerClientTest() override { close(done_); }
  Result<ClientReply> Send(std::string_view text = "") {
    return client_->Send({.method = "POST", .target = "/a%20b?x=1", .fields = {}, .text = text});
  }
  // A reply that is there when `done_` is readable.
  Reply Later(std::chrono::milliseconds time) {
    Reply reply;
    reply.body = Pending{
        .start = [this] { return ++starts_ < 3 ? Pending::kAskAgain : done_; },
        .finish = [this] { return Reply{.fields = {}, .body = was_cancelled_ ? "late" : "done"}; },
        .cancel = [this] { was_cancelled_ = true; },
        .time = time};
    return reply;
  }
  void SetDone() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(write(done_, &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }

  const int done_;
  int starts_ = 0;
  std::atomic<bool> was_cancelled_ = false;
  FakeHandler handler_;
  std::unique_ptr<Client> client_ = MakeHandlerClient(
      handler_, {.fields = {{"authorization", "Bearer t"}}, .peer = "1.2.3.4:5", .most_reply = 8});
};

TEST_F(HandlerClientTest, TellsTheHandlerWhoAsksAndWhat) {
  handler_.answer = [](const std::string& body) { return Reply{.fields = {}, .body = body + "!"}; };
  const auto reply = Send("text");
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "text!");
  EXPECT_EQ(handler_.seen.path, "/a b");
  EXPECT_EQ(Find(handler_.seen.query, "x"), "1");
  EXPECT_EQ(Find(handler_.seen.fields, "authorization"), "Bearer t");
  EXPECT_EQ(handler_.seen.peer, "1.2.3.4:5");
  EXPECT_TRUE(handler_.seen.has_body);
}

TEST_F(HandlerClientTest, ARefusalIsAReply) {
  const auto reply = Send();
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->body, "none");
}

TEST_F(HandlerClientTest, ABodyThatIsTooLongIsNotSent) {
  handler_.answer = [](const std::string&) { return Reply{}; };
  EXPECT_THAT(Send(std::string(101, 'x')).status().message(), HasSubstr("100 bytes"));
}

TEST_F(HandlerClientTest, WaitsForWhatTakesAWhile) {
  handler_.answer = [this](const std::string&) { return Later(std::chrono::minutes(5)); };
  std::thread later([this] { SetDone(); });
  const auto reply = Send();
  later.join();
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->body, "done");
  EXPECT_EQ(starts_, 3);
}

TEST_F(HandlerClientTest, EndsWhatTakesTooLong) {
  handler_.answer = [this](const std::string&) { return Later(std::chrono::milliseconds(1)); };
  const auto reply = Send();
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->body, "late");
}

TEST_F(HandlerClientTest, IsStoppedFromAnotherThread) {
  handler_.answer = [this](const std::string&) { return Later(std::chrono::minutes(5)); };
  std::thread other([this] { client_->Abort(); });
  EXPECT_EQ(Send().status().code(), StatusCode::kCancelled);
  other.join();
}

TEST_F(HandlerClientTest, ReadsFilesUpToItsBound) {
  const std::string path = ::testing::TempDir() + "handler_client_test";
  std::ofstream(path) << "0123456789";
  std::uint64_t bytes = 4;
  handler_.answer = [&](const std::string&) {
    Reply reply;
    reply.body = FilePart{.path = path, .offset = 3, .bytes = bytes, .keep = nullptr};
    return reply;
  };
  EXPECT_EQ(Send().value().body, "3456");
  bytes = 8;  // one more than there are
  EXPECT_EQ(Send().status().code(), StatusCode::kIo);
  bytes = 9;
  EXPECT_EQ(Send().status().code(), StatusCode::kResource);
  std::filesystem::remove(path);
  bytes = 1;
  EXPECT_EQ(Send().status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace rankscope::http
