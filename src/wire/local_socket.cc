#include "wire/local_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace rankscope::wire {
namespace {

constexpr std::size_t kPathAt = offsetof(sockaddr_un, sun_path);

// Whether somebody answers at the file.
bool IsAlive(const std::string& address) {
  const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const bool alive = connect(probe, reinterpret_cast<const sockaddr*>(address.data()),
                             static_cast<socklen_t>(address.size())) == 0;
  close(probe);
  return alive;
}

}  // namespace

Result<std::string> LocalSocket::AddressOf(const std::string& folder, std::string_view name) {
  std::string path;
  if (folder.empty()) {
    path = '\0' + std::string(name) + '\0';
  } else {
    path = folder + "/" + std::string(name) + '\0';
  }
  if (name.empty() || path.size() > sizeof(sockaddr_un::sun_path))
    return Error(StatusCode::kInvalidArgument,
                 "{}/{}: a socket's name has 1 to {} bytes with its folder", folder, name,
                 kMostNameBytes);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return std::string(reinterpret_cast<const char*>(&address), kPathAt + path.size());
}

Result<LocalSocket> LocalSocket::Bind(const std::string& folder, std::string_view name) {
  RS_ASSIGN_OR_RETURN(const std::string address, AddressOf(folder, name));
  const std::string file = folder.empty() ? "" : folder + "/" + std::string(name);
  const std::string shown = file.empty() ? "@" + std::string(name) : file;
  LocalSocket made(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "");
  if (made.descriptor_ < 0)
    return Error(StatusCode::kIo, "{}: no socket: {}", shown, std::strerror(errno));
  // Whose datagrams they are is the kernel's word, not theirs.
  const int on = 1;
  if (setsockopt(made.descriptor_, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0)
    return Error(StatusCode::kIo, "{}: no credentials: {}", shown, std::strerror(errno));
  const auto bind_it = [&] {
    return bind(made.descriptor_, reinterpret_cast<const sockaddr*>(address.data()),
                static_cast<socklen_t>(address.size()));
  };
  int bound = bind_it();
  if (bound != 0 && errno == EADDRINUSE && !file.empty() && !IsAlive(address)) {
    struct stat status {};
    if (lstat(file.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) unlink(file.c_str());
    bound = bind_it();
  }
  if (bound != 0) {
    return Error(StatusCode::kIo, "{}: cannot listen: {}{}", shown, std::strerror(errno),
                 errno == EADDRINUSE ? "; another daemon (dynolog?) has it" : "");
  }
  made.file_ = file;
  // Processes of every user may send.
  if (!file.empty()) chmod(file.c_str(), 0666);
  return made;
}

LocalSocket::LocalSocket(LocalSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), file_(std::exchange(other.file_, "")) {}

LocalSocket::~LocalSocket() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!file_.empty()) unlink(file_.c_str());
}

std::optional<Datagram> LocalSocket::Receive(std::size_t most_bytes) {
  Datagram datagram;
  datagram.bytes.resize(most_bytes);
  sockaddr_un from{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec piece{datagram.bytes.data(), datagram.bytes.size()};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof(from);
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t got = recvmsg(descriptor_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return std::nullopt;
  datagram.bytes.resize(static_cast<std::size_t>(got));
  datagram.is_cut = (message.msg_flags & MSG_TRUNC) != 0;
  if (message.msg_namelen > kPathAt)
    datagram.from.address.assign(reinterpret_cast<const char*>(&from), message.msg_namelen);
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_CREDENTIALS) continue;
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(one), sizeof(credentials));
    datagram.from.pid = credentials.pid;
    datagram.from.uid = credentials.uid;
  }
  return datagram;
}

Status LocalSocket::SendTo(std::string_view address, std::string_view bytes) {
  if (address.size() <= kPathAt || address.size() > sizeof(sockaddr_un))
    return Error(StatusCode::kInvalidArgument, "the sender has no address to reply to");
  sockaddr_un to{};
  std::memcpy(&to, address.data(), address.size());
  const ssize_t sent =
      sendto(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&to), static_cast<socklen_t>(address.size()));
  if (sent == static_cast<ssize_t>(bytes.size())) return OkStatus();
  return Error(StatusCode::kIo, "the reply was not taken: {}", std::strerror(errno));
}

}  // namespace rankscope::wire
