// Addresses of unix datagram sockets as Kineto's ipcfabric makes them, and a socket of that kind.
//
// Without a folder names are abstract, with a NUL in front and one behind: "\0dynolog\0". With one
// they are files in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::wire {

inline constexpr std::string_view kDaemonName = "dynolog";
inline constexpr std::size_t kMostNameBytes = 106;

// Who sent a datagram, as the kernel says it.
struct Sender {
  std::string address;  // to reply to, as recvmsg gave it; empty: it has none
  pid_t pid = -1;       // in the receiver's namespace; 0: outside of it
  uid_t uid = static_cast<uid_t>(-1);
};

struct Datagram {
  Sender from;
  std::string bytes;
  bool is_cut = false;  // it was longer than asked for
};

// Owns its descriptor, and the file of its name. Never blocks. Not for several threads.
class LocalSocket {
 public:
  // `folder` empty: an abstract name. A file of that name that nobody listens on any more is
  // replaced. kIo with a sentence: the name is taken, the folder is not there.
  static Result<LocalSocket> Bind(const std::string& folder, std::string_view name);
  LocalSocket(LocalSocket&& other) noexcept;
  LocalSocket& operator=(LocalSocket&&) = delete;
  ~LocalSocket();

  int descriptor() const { return descriptor_; }
  // nullopt: nothing is there. Of what cannot be received nothing is told but that.
  std::optional<Datagram> Receive(std::size_t most_bytes);
  // kIo when the other end is gone or takes no more.
  Status SendTo(std::string_view address, std::string_view bytes);
  // The address of a name, to send to.
  static Result<std::string> AddressOf(const std::string& folder, std::string_view name);

 private:
  LocalSocket(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {}
  int descriptor_;
  std::string file_;  // to be removed at the end; empty without
};

}  // namespace rankscope::wire
