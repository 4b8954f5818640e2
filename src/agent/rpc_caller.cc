#include "agent/rpc_caller.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rankscope::agent {
namespace {

struct Question {
  nlmsghdr head;
  inet_diag_req_v2 what;
};

Question QuestionOf(const TcpEnd& theirs, const TcpEnd& ours) {
  Question question{};
  question.head.nlmsg_len = sizeof(question);
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.what.sdiag_family = theirs.is_v6 ? AF_INET6 : AF_INET;
  question.what.sdiag_protocol = IPPROTO_TCP;
  question.what.idiag_states = ~0U;
  // As the other end has it: what is theirs is its source.
  inet_diag_sockid& id = question.what.id;
  id.idiag_sport = htons(theirs.port);
  id.idiag_dport = htons(ours.port);
  std::memcpy(id.idiag_src, theirs.address, sizeof(theirs.address));
  std::memcpy(id.idiag_dst, ours.address, sizeof(ours.address));
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

Status NotTold(int error) {
  return Error(StatusCode::kIo, "the kernel does not tell who asks (sock_diag: {})",
               std::strerror(error));
}

}  // namespace

Result<uid_t> UserOfPeer(const TcpEnd& theirs, const TcpEnd& ours) {
  const int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return NotTold(errno);
  const struct Closed {
    int descriptor;
    ~Closed() { close(descriptor); }
  } closed{netlink};
  const Question question = QuestionOf(theirs, ours);
  if (send(netlink, &question, sizeof(question), 0) != sizeof(question)) return NotTold(errno);
  alignas(nlmsghdr) char answer[8192];
  // The kernel answers within the call above.
  const ssize_t got = recv(netlink, answer, sizeof(answer), MSG_DONTWAIT);
  if (got < static_cast<ssize_t>(sizeof(nlmsghdr))) return NotTold(got < 0 ? errno : EPROTO);
  nlmsghdr head{};
  std::memcpy(&head, answer, sizeof(head));
  if (head.nlmsg_type == NLMSG_ERROR) {
    nlmsgerr error{};
    if (got < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof(error))) return NotTold(EPROTO);
    std::memcpy(&error, answer + NLMSG_HDRLEN, sizeof(error));
    if (error.error == -ENOENT)
      return Error(StatusCode::kNotFound, "the other end is no socket of this host");
    return NotTold(-error.error);
  }
  inet_diag_msg message{};
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      got < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof(message)))
    return NotTold(EPROTO);
  std::memcpy(&message, answer + NLMSG_HDRLEN, sizeof(message));
  // Who has closed it is told as user 0.
  if (message.idiag_inode == 0)
    return Error(StatusCode::kNotFound, "the other end was closed before it had its answer");
  return static_cast<uid_t>(message.idiag_uid);
}

bool IsOfThisHost(const TcpEnd& end) {
  constexpr std::uint8_t kLoopbackNet = 127;
  const std::size_t length = end.is_v6 ? 16 : 4;
  const auto is_any = [](std::uint8_t byte) { return byte != 0; };
  if (std::none_of(end.address, end.address + length, is_any)) return true;
  if (!end.is_v6 && end.address[0] == kLoopbackNet) return true;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return true;
  bool is_own = false;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (one->ifa_addr->sa_family == AF_INET && !end.is_v6) {
      sockaddr_in address{};
      std::memcpy(&address, one->ifa_addr, sizeof(address));
      is_own |= std::memcmp(&address.sin_addr, end.address, length) == 0;
    } else if (one->ifa_addr->sa_family == AF_INET6 && end.is_v6) {
      sockaddr_in6 address{};
      std::memcpy(&address, one->ifa_addr, sizeof(address));
      is_own |= std::memcmp(&address.sin6_addr, end.address, length) == 0;
    }
  }
  freeifaddrs(all);
  return is_own;
}

}  // namespace rankscope::agent
