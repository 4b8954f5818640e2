// HTTP requests and replies as plain values for handlers, independent of the library that reads and
// writes them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

namespace rankscope::http {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The first value of a field; names are compared without regard to case.
std::optional<std::string_view> Find(const Fields& fields, std::string_view name);

// The name in the client's certificate, if it presented a trusted one.
struct ClientIdentity {
  std::string name;  // CN of the subject
  std::string unit;  // its OU
};

// A request without its body.
struct Head {
  std::string method;  // in capitals
  std::string path;    // percent-decoded, begins with `/`; see url.h for what is refused
  Fields query;        // decoded, in their order
  Fields fields;       // as they came; names in small letters
  std::uint64_t content_length = 0;
  bool has_body = false;  // it stated a length, be it 0
  std::string peer;       // address of the other end
  bool is_secure = false;
  std::optional<ClientIdentity> client;
};

// Checks a content while it is sent. If it is damaged, the last piece is not sent and the
// connection breaks off, so that nobody takes it for complete.
class ContentCheck {
 public:
  virtual ~ContentCheck() = default;
  virtual void See(std::string_view piece) = 0;
  virtual bool IsGood() = 0;  // all has been seen
};

// Part of a file. `keep` is held until all is sent; its end may remove the file. `check` may be
// null.
struct FilePart {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::shared_ptr<void> keep;
  std::shared_ptr<ContentCheck> check = nullptr;
};

// Text that arrives over time, for as long as the client listens. Safe for two threads.
class Stream {
 public:
  virtual ~Stream() = default;
  // The text available now; may be empty. nullopt: the end.
  virtual std::optional<std::string> Take() = 0;
  // Called, from any thread, when Take has something; replaces what was there. Not after
  // OnReady({}) returned.
  virtual void OnReady(std::function<void()> wake) = 0;
  // Sent after a while without other text.
  virtual std::string Heartbeat() = 0;
};

struct Reply;

// A reply that takes time and holds no thread meanwhile.
struct Pending {
  static constexpr int kAskAgain = -1;
  static constexpr int kDone = -2;
  // Starts it; returns a descriptor that becomes readable when it is done, which stays its own;
  // kAskAgain while there is no room, kDone when there is nothing to wait for. Runs where blocking
  // is allowed, as `finish` does.
  std::function<int()> start;
  std::function<Reply()> finish;  // may be a Pending again
  // Ends it early: after `time`, when finish is called all the same, or because the other end is
  // gone or the server stops, when it is not. Quick.
  std::function<void()> cancel;
  std::chrono::milliseconds time{60'000};
};

struct Reply {
  int status = 200;
  Fields fields;
  std::variant<std::string, FilePart, std::shared_ptr<Stream>, Pending> body;
  // The problem in words for the server's operator, including paths; goes to Served, never to the
  // client.
  std::string note = {};
  // For the result of Handler::Begin: the handler's name of the request, for Served. The text must
  // stay valid.
  std::string_view topic = {};
};

// One request in progress. Calls come one after the other.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // What the handler calls the request, for Served. Text that stays.
  virtual std::string_view topic() const { return {}; }
  // More is refused with 413 before any of it is read.
  virtual std::uint64_t MostBytes() const = 0;
  // A piece of the body. May block. An error ends the request: Finish is called at once.
  virtual Status Take(std::string_view piece) = 0;
  // The body is there, or, with `is_whole` false, will never be (an error above, or the other end
  // is gone, when nobody reads the reply). May block.
  virtual Reply Finish(bool is_whole) = 0;
};

// Its cost, for logs and metrics.
struct Served {
  const Head* head = nullptr;  // null when none could be read
  std::string_view topic;      // of the reply or exchange that began it; "" without
  int status = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  std::int64_t duration_ns = 0;
  std::string note;  // of the reply; or what an exception of the handler said
};

// Safe for many threads. An exception of a handler, an exchange or a Pending ends only that
// request, with a 500.
class Handler {
 public:
  virtual ~Handler() = default;
  // Called with only the head. Does not block.
  virtual std::variant<Reply, std::unique_ptr<Exchange>> Begin(const Head& head) = 0;
  // Called for requests that are malformed, or refused by the server itself.
  virtual Reply Refuse(int status, std::string_view sentence) = 0;
  virtual void OnServed(const Served& served) = 0;
};

std::string_view ReasonOf(int status);

}  // namespace rankscope::http
