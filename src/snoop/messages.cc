#include "snoop/messages.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace rankscope::snoop {
namespace {

constexpr std::size_t kMostMessage = 1 << 20;
constexpr std::size_t kMostProbes = 2 * kMostCalls;

template <typename T>
void Append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
bool Take(std::string_view& bytes, T& value) {
  if (bytes.size() < sizeof(value)) return false;
  std::memcpy(&value, bytes.data(), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return true;
}

struct ProbeHead {
  std::uint64_t offset, semaphore;
  std::uint32_t call, at_return, file_bytes, pad;
};

}  // namespace

std::string ToBytes(const HelperRequest& request) {
  std::string bytes;
  Append(bytes, request.programs);
  Append(bytes, request.pid);
  Append(bytes, request.config);
  Append(bytes, static_cast<std::uint32_t>(request.calls.size()));
  for (const CallAt& call : request.calls) Append(bytes, call);
  Append(bytes, static_cast<std::uint32_t>(request.probes.size()));
  for (const Probe& probe : request.probes) {
    Append(bytes, ProbeHead{probe.offset, probe.semaphore, probe.call, probe.at_return ? 1U : 0U,
                            static_cast<std::uint32_t>(probe.file.size()), 0});
    bytes += probe.file;
  }
  return bytes;
}

Result<HelperRequest> ParseRequest(std::string_view bytes) {
  const Status cut(StatusCode::kBadData, "the request to snoop's helper is damaged");
  HelperRequest request;
  std::uint32_t count = 0;
  if (!Take(bytes, request.programs) || !Take(bytes, request.pid) || !Take(bytes, request.config) ||
      !Take(bytes, count) || count > kMostCalls)
    return cut;
  request.calls.resize(count);
  for (CallAt& call : request.calls) {
    if (!Take(bytes, call)) return cut;
  }
  if (!Take(bytes, count) || count > kMostProbes) return cut;
  for (std::uint32_t i = 0; i < count; ++i) {
    ProbeHead head{};
    if (!Take(bytes, head) || head.file_bytes > bytes.size() || head.call >= request.calls.size())
      return cut;
    request.probes.push_back({.file = std::string(bytes.substr(0, head.file_bytes)),
                              .offset = head.offset,
                              .semaphore = head.semaphore,
                              .call = head.call,
                              .at_return = head.at_return != 0});
    bytes.remove_prefix(head.file_bytes);
  }
  return request;
}

bool SendMessage(int socket, std::string_view text, std::span<const int> descriptors) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(text.size());
}

Result<Message> ReceiveMessage(int socket) {
  Message received;
  received.text.resize(kMostMessage);
  iovec part{received.text.data(), received.text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return Error(StatusCode::kIo, "snoop's helper ended without an answer");
  received.text.resize(static_cast<std::size_t>(got));
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof(number));
      received.descriptors.emplace_back(number);
    }
  }
  return received;
}

}  // namespace rankscope::snoop
