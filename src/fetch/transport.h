// One HTTP request to a server of others and its answer: what those who ask need of a network. The
// real one is libcurl (curl_transport.h); tests have their own.
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

// A part of a file, as the body of a request.
struct FileBody {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct HttpRequest {
  std::string method;
  std::string url;  // whole and encoded
  Pairs headers;
  std::string text;                   // the body
  std::optional<FileBody> file = {};  // or a file
  // The other end may work on it so long without a word; 0: as usual.
  long patience_s = 0;
  // All of it ends after so long, with whatever has come; 0: it has the time that it takes.
  long most_ms = 0;
  // Of the answer's body that does not go to on_body: more ends the request.
  std::size_t most_answer_bytes = kMostAnswerBytes;
  // Where the body of an answer 200 or 206 goes, piece by piece; empty: into HttpAnswer::body. What
  // either returns as an error ends the request.
  std::function<Status(int status, const Pairs& headers)> on_head = {};
  std::function<Status(std::string_view piece)> on_body = {};
};

struct HttpAnswer {
  int status = 0;
  Pairs headers;     // names in lower case
  std::string body;  // what did not go to on_body, up to most_answer_bytes of it
  // "" where there is none.
  std::string_view Header(std::string_view name) const;
};

// How a request ended.
struct Outcome {
  enum class Kind : std::uint8_t {
    kAnswered,  // whole, with whatever status
    kBroken,    // not reached, cut off or too slow: it may go well another time
    kRefused,   // it cannot go well: a certificate, a file that cannot be read
    kStopped,   // by on_head or on_body
  };
  Kind kind = Kind::kAnswered;
  Status why;  // but for kAnswered
  HttpAnswer answer;
};

// Safe for many threads.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Outcome Send(const HttpRequest& request) = 0;
};

}  // namespace rankscope::fetch
