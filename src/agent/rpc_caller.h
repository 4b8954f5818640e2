// The caller of a TCP connection, as the kernel knows it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/status.h"

namespace rankscope::agent {

struct RpcCaller {
  // May reach processes of all users, and name runs of the server.
  bool is_trusted = false;
  // A user of this host: reaches their own processes, root all. Neither: unknown, and refused.
  std::optional<uid_t> uid;
  std::string name;     // for the log: "user 1000 (127.0.0.1:40112)"
  std::string problem;  // why nobody knows who it is
};

// An end of a connection, in network byte order; of IPv4 the first four bytes.
struct TcpEnd {
  bool is_v6 = false;
  std::uint8_t address[16] = {};
  std::uint16_t port = 0;  // of the host's byte order
};

// The user of the socket at `theirs` that is connected to `ours`, when both are of this host and
// network namespace: NETLINK_SOCK_DIAG (sock_diag(7)). kNotFound: there is no such socket here, or
// it was closed, and is nobody's; kIo with a sentence: the kernel does not tell. Microseconds.
Result<uid_t> UserOfPeer(const TcpEnd& theirs, const TcpEnd& ours);

// Whether an address is loopback's, empty, or one of this host's network devices. True if that
// cannot be determined.
bool IsOfThisHost(const TcpEnd& end);

}  // namespace rankscope::agent
