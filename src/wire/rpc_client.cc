#include "wire/rpc_client.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "wire/rpc_frame.h"

namespace rankscope::wire {
namespace {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  Connection(std::string address, Clock::time_point end)
      : address_(std::move(address)), end_(end) {}
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Status Open(const addrinfo& to) {
    if (socket_ >= 0) close(socket_);
    socket_ = socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) return Failed(std::strerror(errno));
    if (connect(socket_, to.ai_addr, to.ai_addrlen) == 0) return OkStatus();
    if (errno != EINPROGRESS) return Failed(std::strerror(errno));
    RS_RETURN_IF_ERROR(WaitFor(POLLOUT));
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    return error == 0 ? OkStatus() : Failed(std::strerror(error));
  }

  Status Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        RS_RETURN_IF_ERROR(WaitFor(POLLOUT));
      } else if (errno != EINTR) {
        return Failed(std::strerror(errno));
      }
    }
    return OkStatus();
  }

  Result<std::string> Receive() {
    // Of an agent with all its captures.
    constexpr std::size_t kMostAnswer = std::size_t{64} << 20;
    std::string bytes;
    char buffer[16384];
    for (;;) {
      const auto frame = FrameIn(bytes, kMostAnswer);
      if (!frame.ok()) return Failed("no rankscope-agent answers there");
      if (*frame) return std::string(**frame);
      const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
      if (got > 0) {
        bytes.append(buffer, static_cast<std::size_t>(got));
      } else if (got == 0) {
        return Failed("it closed the connection without an answer");
      } else if (errno == EAGAIN) {
        RS_RETURN_IF_ERROR(WaitFor(POLLIN));
      } else if (errno != EINTR) {
        return Failed(std::strerror(errno));
      }
    }
  }

 private:
  Status Failed(std::string_view why) const {
    return Error(StatusCode::kIo, "{}: {}", address_, why);
  }

  Status WaitFor(short what) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    pollfd one{socket_, what, 0};
    if (left.count() <= 0 || poll(&one, 1, static_cast<int>(left.count())) == 0)
      return Failed("no answer in time");
    return OkStatus();
  }

  const std::string address_;
  const Clock::time_point end_;
  int socket_ = -1;
};

}  // namespace

Result<std::string> Call(const std::string& host, std::uint16_t port, std::string_view json,
                         std::chrono::milliseconds time) {
  const std::string address = host.find(':') == std::string::npos
                                  ? fmt::format("{}:{}", host, port)
                                  : fmt::format("[{}]:{}", host, port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int wrong = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (wrong != 0) return Error(StatusCode::kIo, "{}: {}", address, gai_strerror(wrong));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> ends(found, freeaddrinfo);
  Connection connection(address, Clock::now() + time);
  Status opened = Error(StatusCode::kIo, "{}: it has no address", address);
  for (const addrinfo* one = found; one != nullptr && !opened.ok(); one = one->ai_next)
    opened = connection.Open(*one);
  RS_RETURN_IF_ERROR(opened);
  RS_RETURN_IF_ERROR(connection.Send(ToFrame(json)));
  return connection.Receive();
}

}  // namespace rankscope::wire
