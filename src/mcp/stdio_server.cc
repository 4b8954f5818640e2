#include "mcp/stdio_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

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

StdioServer::Home::Home() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StdioServer::Home::~Home() { close(wake_); }

void StdioServer::Home::Add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void StdioServer::Home::RunAll() {
  std::vector<std::function<void()>> all;
  {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof(count));
    all.swap(waiting_);
  }
  for (const auto& work : all) work();
}

StdioServer::StdioServer(Source& source, SessionOptions options, Streams streams)
    : streams_(streams),
      lines_(options.most_line_bytes),
      session_({.source = source,
                .worker = worker_,
                .home = home_,
                .send = [this](std::string_view message) { Write(message); },
                .now = [] { return Clock::now(); }},
               std::move(options)) {}

StdioServer::~StdioServer() = default;

bool StdioServer::IsOver() const {
  return is_stopped_ || is_output_gone_ || (is_input_over_ && session_.IsIdle());
}

bool StdioServer::Run() {
  while (!IsOver()) {
    Wait();
    session_.OnTime();
  }
  session_.Stop();
  return worker_.Stop(kPatience);
}

void StdioServer::Wait() {
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

void StdioServer::Read() {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = read(streams_.input, buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto take = [this](const Line& line) { Take(line); };
  if (count > 0) return lines_.Add({buffer.data(), static_cast<std::size_t>(count)}, take);
  is_input_over_ = true;
  lines_.Finish(take);
}

void StdioServer::Take(const Line& line) {
  if (is_stopped_ || is_output_gone_) return;
  if (line.is_too_long) {
    session_.OnLongLine();
  } else {
    session_.OnLine(line.text);
  }
}

void StdioServer::Write(std::string_view message) {
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
bool StdioServer::WaitForRoom() {
  while (!is_stopped_ && !is_output_gone_) {
    std::array<pollfd, 2> waits{{{streams_.stop, POLLIN, 0}, {streams_.output, POLLOUT, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    is_stopped_ |= waits[0].revents != 0;
    if (!is_stopped_ && waits[1].revents != 0) return true;
  }
  return false;
}

}  // namespace rankscope::mcp
