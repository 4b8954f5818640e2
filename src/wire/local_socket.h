// Unix datagram sockets and their addresses, as in Kineto's ipcfabric.
//
// Without a folder, names are abstract, between two NULs: "\0dynolog\0". With a folder, they are
// files in it.
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

// The sender of a datagram, as reported by the kernel.
struct Sender {
  std::string address;  // for replies, as recvmsg gave it; empty: it has none
  pid_t pid = -1;       // in the receiver's namespace; 0: outside of it
  uid_t uid = static_cast<uid_t>(-1);
};

struct Datagram {
  Sender from;
  std::string bytes;
  bool is_cut = false;  // it was longer than `most_bytes`
};

// Owns its descriptor, and its file. Never blocks. Not thread-safe.
class LocalSocket {
 public:
  // Empty `folder`: an abstract name. Replaces a file with that name if nobody listens on it any
  // more. kIo with a sentence: the name is in use, or the folder does not exist.
  static Result<LocalSocket> Bind(const std::string& folder, std::string_view name);
  LocalSocket(LocalSocket&& other) noexcept;
  LocalSocket& operator=(LocalSocket&&) = delete;
  ~LocalSocket();

  int descriptor() const { return descriptor_; }
  // nullopt: nothing to receive. Errors of receiving are reported in the same way.
  std::optional<Datagram> Receive(std::size_t most_bytes);
  // kIo if the other end is gone or its queue is full.
  Status SendTo(std::string_view address, std::string_view bytes);
  // The destination address for a name.
  static Result<std::string> AddressOf(const std::string& folder, std::string_view name);

 private:
  LocalSocket(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {}
  int descriptor_;
  std::string file_;  // removed at the end; empty: none
};

}  // namespace rankscope::wire
