// Loop: the one thread that answers Kineto's datagrams and the connections of RPC, from memory, in
// microseconds. It also runs periodic work.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/captures/captures.h"
#include "agent/rpc.h"
#include "base/status.h"
#include "wire/local_socket.h"

namespace rankscope::agent {

struct LoopOptions {
  std::string rpc_host;  // an address, or localhost; empty: no RPC
  std::uint16_t rpc_port = 0;
  bool trusts_loopback = false;  // whoever asks from this host reaches all processes
  std::size_t most_connections = 2000;
  // Of one user of this host, or from one address elsewhere.
  std::size_t most_of_caller = 128;
  // Of requests that come and replies that go: of all connections, and of one caller.
  std::size_t most_bytes = std::size_t{16} << 20;
  std::size_t most_bytes_of_caller = std::size_t{4} << 20;
  std::chrono::milliseconds request_time{10'000};  // for a request to come, and a reply to be taken
  std::chrono::milliseconds tick{250};
};

struct LoopNumbers {
  std::uint64_t datagrams = 0;
  std::uint64_t bad_datagrams = 0;  // refused, with no reply
  std::uint64_t lost_replies = 0;   // that the other end did not take
  std::uint64_t requests = 0;
  std::uint64_t bad_requests = 0;  // frames that are none, or that never came
  std::uint64_t turned_away = 0;   // connections beyond a limit: their number, or their bytes
};

class Loop {
 public:
  // `kineto` may be null. `tick` is called every LoopOptions::tick and may take milliseconds at
  // most. kIo if the address is not available.
  static Result<std::unique_ptr<Loop>> Start(const LoopOptions& options,
                                             std::unique_ptr<wire::LocalSocket> kineto,
                                             Captures& captures, const Rpc& rpc,
                                             std::function<Now()> clock,
                                             std::function<void()> tick);
  virtual ~Loop() = default;  // ends the thread

  virtual std::string rpc_address() const = 0;  // "127.0.0.1:1778"; empty without
  virtual LoopNumbers numbers() const = 0;
};

}  // namespace rankscope::agent
