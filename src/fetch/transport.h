// One HTTP request to a foreign server and its answer: the interface to the network. The real
// implementation is libcurl (curl_transport.h); tests have their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace rankscope::fetch {

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMostAnswerBytes = std::size_t{8} << 20;

// A part of a file, used as the body of a request.
struct FileBody {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct HttpRequest {
  std::string method;
  std::string url;  // complete and encoded
  Pairs headers;
  std::string text;                   // the body
  std::optional<FileBody> file = {};  // or a file
  // How long the server may work without sending anything; 0: the default.
  long patience_s = 0;
  // Limit for the whole request, which then ends with what it has received; 0: no limit.
  long most_ms = 0;
  // Limit of the answer's body, unless it goes to on_body; a longer one ends the request.
  std::size_t most_answer_bytes = kMostAnswerBytes;
  // Receive the body of an answer 200 or 206, piece by piece; empty: it goes to HttpAnswer::body.
  // An error from either ends the request.
  std::function<Status(int status, const Pairs& headers)> on_head = {};
  std::function<Status(std::string_view piece)> on_body = {};
};

struct HttpAnswer {
  int status = 0;
  Pairs headers;     // names in lower case
  std::string body;  // the part not passed to on_body, up to most_answer_bytes
  // "" if it is missing.
  std::string_view Header(std::string_view name) const;
};

// The result of a request.
struct Outcome {
  enum class Kind : std::uint8_t {
    kAnswered,  // complete, with any status
    kBroken,    // unreachable, cut off or too slow: may succeed later
    kRefused,   // cannot succeed: a certificate, an unreadable file
    kStopped,   // by on_head or on_body
  };
  Kind kind = Kind::kAnswered;
  Status why;  // except for kAnswered
  HttpAnswer answer;
};

// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Outcome Send(const HttpRequest& request) = 0;
};

}  // namespace rankscope::fetch
