// Server: HTTP/1.1, with and without TLS, on one address. The handler interprets requests.
//
// Every connection is a coroutine that stays on one of a few threads; blocking work runs on others.
// ServerOptions has all limits: connections, size of heads, time for a head, the minimum rates of a
// request's body and of a reply. Transfer-Encoding in requests is refused (501), and so is a body
// without Content-Length (411), so that the extent of a body is unambiguous.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "http/message.h"

namespace rankscope::http {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address, or localhost
  std::uint16_t port = 0;          // 0: a free one
  std::string certificate_file;    // PEM, the whole chain; both or none
  std::string key_file;
  // Clients may present a certificate signed by one of these (PEM); Head::client then has their
  // name. Clients without one are admitted as well; the handler decides their rights.
  std::string client_ca_file;
  int io_threads = 2;
  int blocking_threads = 16;            // that mostly wait for the disk
  bool begin_may_block = false;         // Handler::Begin runs there, too: it asks a database
  std::size_t most_connections = 2000;  // with a tenth left those that are idle longest are closed
  std::size_t most_of_peer = 1000;      // from one address but loopback's, behind which all may be
  std::size_t most_head_bytes = 16 << 10;
  std::chrono::milliseconds idle_time{60'000};  // between requests
  std::chrono::milliseconds head_time{10'000};  // from the first byte to the last of a head
  // A slower body or reply is cut off, after this grace period.
  std::uint64_t least_bytes_per_s = 64 << 10;
  std::chrono::milliseconds grace{10'000};
  std::chrono::milliseconds heartbeat{15'000};  // of streams
};

struct ServerNumbers {
  std::size_t connections = 0;
  std::uint64_t accepted = 0;
  std::uint64_t turned_away = 0;  // there were too many
  std::uint64_t closed_idle = 0;  // asked nothing, and made room
};

class Server {
 public:
  // Listens and serves until it is destroyed or stopped. `handler` outlives it. kIo if the address
  // is not available, kInvalidArgument if it is invalid, kBadData for bad certificates.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options, Handler& handler);
  virtual ~Server() = default;

  virtual std::string host() const = 0;
  virtual std::uint16_t port() const = 0;
  virtual ServerNumbers numbers() const = 0;
  // Accepts no more requests, gives running ones `patience` to end, and cuts off the rest.
  virtual void Stop(std::chrono::milliseconds patience) = 0;
};

}  // namespace rankscope::http
