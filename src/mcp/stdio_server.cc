#include "mcp/stdio_server.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "json_rpc/line_splitter.h"
#include "mcp/session.h"
#include "mcp/wakeable_queue.h"
#include "mcp/worker.h"

namespace rankscope::mcp {
namespace {

// What a client that ends grants a program that it has asked to end.
constexpr std::chrono::milliseconds kPatience{1000};
// With room for some of it a pipe takes that much without holding the writer up.
constexpr std::size_t kPieceBytes = 4096;

// Until then, for poll(): at least as long.
int MillisecondsUntil(std::optional<Clock::time_point> time) {
  if (!time) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*time - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 60'000));
}

}  // namespace

class StdioServer::Loop {
 public:
  Loop(Source& source, const SessionOptions& options, Streams streams);
  bool Run();

 private:
  bool IsOver() const;
  void Wait();
  void Read();
  void Take(const json_rpc::Line& line);
  void Write(std::string_view message);
  bool WaitForRoom();

  const Streams streams_;
  bool is_stopped_ = false;
  bool is_input_over_ = false;
  bool is_output_gone_ = false;
  json_rpc::LineSplitter lines_;
  WakeableQueue home_;
  Worker worker_;
  Session session_;
};

StdioServer::Loop::Loop(Source& source, const SessionOptions& options, Streams streams)
    : streams_(streams),
      lines_(options.most_line_bytes),
      session_({.source = source,
                .worker = worker_,
                .home = home_,
                .send = [this](std::string_view message) { Write(message); },
                .now = [] { return Clock::now(); }},
               options) {}

bool StdioServer::Loop::IsOver() const {
  return is_stopped_ || is_output_gone_ || (is_input_over_ && session_.IsIdle());
}

bool StdioServer::Loop::Run() {
  while (!IsOver()) {
    Wait();
    session_.OnTime();
  }
  session_.Stop();
  return worker_.Stop(kPatience);
}

void StdioServer::Loop::Wait() {
  // A negative descriptor is passed over.
  std::array<pollfd, 3> waits{{{streams_.stop, POLLIN, 0},
                               {home_.wake(), POLLIN, 0},
                               {is_input_over_ ? -1 : streams_.input, POLLIN, 0}}};
  if (poll(waits.data(), waits.size(), MillisecondsUntil(session_.NextDeadline())) < 0) return;
  is_stopped_ |= waits[0].revents != 0;
  if (is_stopped_) return;
  if (waits[1].revents != 0) home_.RunAll();
  if (waits[2].revents != 0) Read();
}

void StdioServer::Loop::Read() {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = read(streams_.input, buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto take = [this](const json_rpc::Line& line) { Take(line); };
  if (count > 0) return lines_.Add({buffer.data(), static_cast<std::size_t>(count)}, take);
  is_input_over_ = true;
  lines_.Finish(take);
}

void StdioServer::Loop::Take(const json_rpc::Line& line) {
  if (is_stopped_ || is_output_gone_) return;
  if (line.is_too_long) {
    session_.OnLongLine();
  } else {
    session_.OnLine(line.text);
  }
}

void StdioServer::Loop::Write(std::string_view message) {
  std::string line(message);
  line += '\n';
  std::string_view left = line;
  while (!left.empty() && WaitForRoom()) {
    const ssize_t written = write(streams_.output, left.data(), std::min(left.size(), kPieceBytes));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    is_output_gone_ |= written <= 0;
    if (is_output_gone_) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

// False when nothing is to be written any more: a client that does not read can still end this.
bool StdioServer::Loop::WaitForRoom() {
  while (!is_stopped_ && !is_output_gone_) {
    std::array<pollfd, 2> waits{{{streams_.stop, POLLIN, 0}, {streams_.output, POLLOUT, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    is_stopped_ |= waits[0].revents != 0;
    if (!is_stopped_ && waits[1].revents != 0) return true;
  }
  return false;
}

StdioServer::StdioServer(Source& source, const SessionOptions& options, Streams streams)
    : loop_(std::make_unique<Loop>(source, options, streams)) {}

StdioServer::~StdioServer() = default;

bool StdioServer::Run() { return loop_->Run(); }

}  // namespace rankscope::mcp
