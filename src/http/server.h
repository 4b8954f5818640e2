// Server: HTTP/1.1, with and without TLS, on one address. What requests mean is the handler's.
//
// Every connection is a coroutine that stays on one of a few threads; what may block runs on
// others. Bounds, all of ServerOptions: connections, size of heads, time for a head, the rate at
// which a body has to come and a reply has to be taken. Transfer-Encoding in requests is refused
// (501), so is a body without Content-Length (411): what a body is has one meaning.
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
  // Clients may show a certificate that one of these has signed (PEM); who they are by it is in
  // Head::client. Those without one are let in as well: what they may do is the handler's.
  std::string client_ca_file;
  int io_threads = 2;
  int blocking_threads = 16;            // that mostly wait for the disk
  bool begin_may_block = false;         // Handler::Begin runs there, too: it asks a database
  std::size_t most_connections = 2000;  // with a tenth left those that are idle longest are closed
  std::size_t most_of_peer = 1000;      // from one address but loopback's, behind which all may be
  std::size_t most_head_bytes = 16 << 10;
  std::chrono::milliseconds idle_time{60'000};  // between requests
  std::chrono::milliseconds head_time{10'000};  // from the first byte to the last of a head
  // A body that comes, or a reply that is taken, more slowly is cut off, after this time of grace.
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
  // Listens and serves until it is destroyed or stopped. `handler` outlives it. kIo when the
  // address cannot be taken, kInvalidArgument for what is none, kBadData for certificates.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options, Handler& handler);
  virtual ~Server() = default;

  virtual std::string host() const = 0;
  virtual std::uint16_t port() const = 0;
  virtual ServerNumbers numbers() const = 0;
  // Takes no more requests, gives those that run `patience` to end, and cuts off the rest.
  virtual void Stop(std::chrono::milliseconds patience) = 0;
};

}  // namespace rankscope::http
