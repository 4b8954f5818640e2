// RequestLoop: many requests to one server at once, on one thread that also keeps times to send
// them: what a load generator needs, where http::Client is for one request after the other.
//
// Connections are kept and used again, the last one first; there are as many as requests are under
// way, up to a limit, behind which requests wait in their order. A connection that was kept and
// that the server had ended before it answered anything is replaced once by a new one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/client.h"

namespace rankscope::http {

// A moment of the steady clock in ns, in which everything of a loop is told.
std::int64_t SteadyNow();

// A request on its way. All is called on the loop's thread.
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
  // Resolves the server's name. kIo when it has no address, kBadData for certificates.
  static Result<std::unique_ptr<RequestLoop>> Make(const Address& address,
                                                   const ClientOptions& options,
                                                   std::size_t most_connections);
  virtual ~RequestLoop() = default;

  // Both on the loop's thread, or before Run. A moment that has passed: as soon as may be, in order
  // of their moments.
  virtual void At(std::int64_t moment_ns, std::function<void()> then) = 0;
  virtual void Send(LoopRequest request, std::shared_ptr<Call> call) = 0;
  virtual LoopNumbers numbers() const = 0;

  // Returns when nothing is to be waited for any more, or after Stop; then all calls have ended.
  virtual void Run() = 0;
  // From any thread.
  virtual void Stop() = 0;
};

}  // namespace rankscope::http
