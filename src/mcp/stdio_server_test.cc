#include "mcp/stdio_server.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "mcp/session_for_test.h"

namespace rankscope::mcp {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHello =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})";

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    CloseWriter();
    CloseReader();
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void Write(std::string_view text) const {
    EXPECT_EQ(write(writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseWriter() { Close(ends_[1]); }
  void CloseReader() { Close(ends_[0]); }
  std::string ReadAll() const {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t count = 0; (count = read(reader(), buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(count));
    return text;
  }

 private:
  static void Close(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }

  std::array<int, 2> ends_{};
};

class StdioServerTest : public ::testing::Test {
 protected:
  bool Serve() {
    StdioServer server(source_, {.program_version = "1"},
                       {in_.reader(), out_.writer(), stop_.reader()});
    const bool is_over = server.Run();
    out_.CloseWriter();
    return is_over;
  }

  FakeSource source_;
  Pipe in_, out_, stop_;
};

TEST_F(StdioServerTest, AnswersAllBeforeItEnds) {
  in_.Write(std::string(kHello) + "\n");
  for (int id = 1; id <= 3; ++id)
    in_.Write(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":)"
                          R"({{"name":"table","arguments":{{"name":"steps"}}}}}})"
                          "{}",
                          id, id == 3 ? "" : "\n"));
  in_.CloseWriter();
  EXPECT_TRUE(Serve());
  const std::string said = out_.ReadAll();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 4);
  EXPECT_THAT(said, HasSubstr(R"({"jsonrpc":"2.0","id":3,"result":)"));
}

TEST_F(StdioServerTest, EndsWhenItIsToldTo) {
  stop_.Write("x");
  EXPECT_TRUE(Serve());
  EXPECT_EQ(out_.ReadAll(), "");
}

// More than a pipe holds, and nobody reads: it can be told to end all the same.
TEST_F(StdioServerTest, AClientThatDoesNotReadCanEndIt) {
  std::string lines = std::string(kHello) + "\n";
  for (int i = 0; i < 40; ++i)
    lines += R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
             "\n";
  in_.Write(lines);
  std::thread client([this] {
    // What it says first has come, so it is at work.
    char first = 0;
    EXPECT_EQ(read(out_.reader(), &first, 1), 1);
    stop_.Write("x");
  });
  EXPECT_TRUE(Serve());
  client.join();
}

TEST_F(StdioServerTest, EndsWhenNobodyReadsAnyMore) {
  signal(SIGPIPE, SIG_IGN);
  out_.CloseReader();
  in_.Write(std::string(kHello) + "\n");
  EXPECT_TRUE(Serve());
}

}  // namespace
}  // namespace rankscope::mcp
