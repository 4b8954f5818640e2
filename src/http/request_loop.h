// RequestLoop: many requests to one server at once, on one thread that also keeps their send times.
// Load generators need this, while http::Client sends one request after the other.
//
// Connections are kept and reused, the last one first. There is one per request in progress, up to
// a limit; beyond it requests wait in order. If the server had closed a kept connection before
// answering anything, it is replaced once by a new one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/client.h"

namespace rankscope::http {

// A moment of the steady clock in ns, the unit of all times of a loop.
std::int64_t SteadyNow();

// A request in progress. All functions are called on the loop's thread.
class Call {
 public:
  virtual ~Call() = default;
  // It need not wait any longer for one of the connections that there may be.
  virtual void OnBegin(std::int64_t now_ns) = 0;
  // A connection is there and its first byte goes to the system now. Once more where a kept
  // connection was dead.
  virtual void OnSending(std::int64_t now_ns) = 0;
  virtual void OnHead(std::int64_t now_ns, int status) = 0;
  // A piece of the body, as it came; chunks are unpacked.
  virtual void OnPiece(std::int64_t now_ns, std::string_view piece) = 0;
  // The last call, and always one: the answer is whole, whatever its status; or kIo (connection),
  // kResource (descriptors), kCancelled (the loop was stopped or left, or the call cancelled).
  virtual void OnEnd(std::int64_t now_ns, const Status& status) = 0;
};

struct LoopRequest {
  std::string method = "POST";
  std::string target;  // encoded
  Fields fields;
  std::string body;
  std::int64_t deadline_ns = 0;  // kIo when it takes longer
};

struct LoopNumbers {
  std::size_t open = 0;      // connections
  std::uint64_t opened = 0;  // so far
  std::size_t waiting = 0;   // requests, for a connection
};

class RequestLoop {
 public:
  // Resolves the server's name. kIo if it has no address, kBadData for bad certificates.
  static Result<std::unique_ptr<RequestLoop>> Make(const Address& address,
                                                   const ClientOptions& options,
                                                   std::size_t most_connections);
  virtual ~RequestLoop() = default;

  // Call both on the loop's thread, or before Run. Past moments run as soon as possible, in order
  // of their moments.
  virtual void At(std::int64_t moment_ns, std::function<void()> then) = 0;
  virtual void Send(LoopRequest request, std::shared_ptr<Call> call) = 0;
  virtual LoopNumbers numbers() const = 0;

  // Returns when nothing is pending any more, or after Stop; then all calls have ended.
  virtual void Run() = 0;
  // From any thread.
  virtual void Stop() = 0;
};

}  // namespace rankscope::http
