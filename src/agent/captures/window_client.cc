#include "agent/captures/window_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "json/fields.h"

namespace rankscope::agent {
namespace {

// Behind the window: names of stacks are read then.
constexpr std::chrono::seconds kPatience{60};
constexpr int kBetweenLooksMs = 200;
// The unit of the agent has 256 MB, and eight ranks.
constexpr std::size_t kMostBytes = std::size_t{32} << 20;

class Connection {
 public:
  Connection() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }

  Status Connect(const std::string& path) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path))
      return Error(StatusCode::kNotFound,
                   "no helper of snoop is named on this host: snoop.socket says where it listens");
    path.copy(address.sun_path, path.size());
    if (socket_ >= 0 &&
        connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
      return OkStatus();
    return Error(StatusCode::kNotFound,
                 "the helper of snoop does not run on this host ({}: {}): systemctl enable --now "
                 "rankscope-snoop starts it",
                 path, std::strerror(errno));
  }

  Status Say(std::string_view line) const {
    while (!line.empty()) {
      const ssize_t sent = send(socket_, line.data(), line.size(), MSG_NOSIGNAL);
      // It may have refused already: its answer says why.
      if (sent < 0) return errno == EPIPE ? OkStatus() : Broken();
      line.remove_prefix(static_cast<std::size_t>(sent));
    }
    return OkStatus();
  }

  // All that comes until the end of the connection.
  Result<std::string> Hear(std::chrono::steady_clock::time_point deadline,
                           const std::function<bool()>& stopped) const {
    std::string text;
    std::array<char, 16 << 10> part{};
    while (true) {
      if (stopped()) return Error(StatusCode::kCancelled, "it was stopped");
      if (std::chrono::steady_clock::now() > deadline)
        return Error(StatusCode::kIo, "the helper of snoop does not answer");
      pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
      if (poll(&wait, 1, kBetweenLooksMs) <= 0) continue;
      const ssize_t got = read(socket_, part.data(), part.size());
      // Who refuses a request that it has not read ends the connection so.
      if (got < 0 && errno == ECONNRESET && !text.empty()) return text;
      if (got < 0) return Broken();
      if (got == 0) return text;
      if (text.size() + static_cast<std::size_t>(got) > kMostBytes)
        return Error(StatusCode::kResource, "the window has more than {} MiB", kMostBytes >> 20);
      text.append(part.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  static Status Broken() {
    return Error(StatusCode::kIo, "the helper of snoop ended the connection: {}",
                 std::strerror(errno));
  }
  const int socket_;
};

// Whether an answer is none.
Status RefusalIn(std::string_view text) {
  if (text.empty()) return Error(StatusCode::kIo, "the helper of snoop ended without an answer");
  constexpr std::string_view kRefusal = R"({"error")";
  if (text.substr(0, kRefusal.size()) != kRefusal) return OkStatus();
  const auto refusal = json::FromJson<snoop_file::WindowRefusal>(text);
  return Error(StatusCode::kInvalidArgument, "{}",
               refusal.ok() ? std::string_view(refusal->error) : text);
}

}  // namespace

Result<std::string> AskForWindow(const std::string& socket_path,
                                 const snoop_file::WindowRequest& request,
                                 const std::function<bool()>& stopped) {
  const Connection connection;
  RS_RETURN_IF_ERROR(connection.Connect(socket_path));
  RS_RETURN_IF_ERROR(connection.Say(json::ToJson(request) + "\n"));
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::milliseconds(request.milliseconds) + kPatience;
  Result<std::string> text = connection.Hear(deadline, stopped);
  if (!text.ok()) return text;
  RS_RETURN_IF_ERROR(RefusalIn(*text));
  return text;
}

}  // namespace rankscope::agent
