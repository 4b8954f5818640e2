// One HTTP request and its answer: what the client of S3 needs of a network. The real one is
// libcurl (curl_transport.h); tests have their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "s3/sign.h"

namespace rankscope::s3 {

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
  // Where the body of an answer 200 or 206 goes, piece by piece; empty: into HttpAnswer::body. What
  // either returns as an error ends the request.
  std::function<Status(int status, const Pairs& headers)> on_head = {};
  std::function<Status(std::string_view piece)> on_body = {};
};

struct HttpAnswer {
  int status = 0;
  Pairs headers;     // names in lower case
  std::string body;  // what did not go to on_body, up to kMostAnswerBytes of it
  // "" where there is none.
  std::string_view Header(std::string_view name) const;
};

inline constexpr std::size_t kMostAnswerBytes = std::size_t{8} << 20;

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

}  // namespace rankscope::s3
