#include "fetch/curl_transport.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "fetch/curl_functions.h"

namespace rankscope::fetch {
namespace {

constexpr std::size_t kMostHeaders = 200;

// Where a body comes from; libcurl may ask for its begin again (after a 100 that did not come, or
// on a connection that was closed meanwhile).
class Body {
 public:
  explicit Body(const HttpRequest& request) : text_(request.text) {
    if (!request.file) return;
    file_ = &*request.file;
    descriptor_ = open(file_->path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) Say("open");
  }
  ~Body() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  const Status& status() const { return status_; }
  std::uint64_t bytes() const { return file_ != nullptr ? file_->bytes : text_.size(); }

  std::size_t Read(char* to, std::size_t most) {
    const std::size_t count = std::min<std::uint64_t>(most, bytes() - at_);
    if (count == 0) return 0;
    if (file_ == nullptr) {
      std::memcpy(to, text_.data() + at_, count);
      at_ += count;
      return count;
    }
    ssize_t read = -1;
    do {
      read = pread(descriptor_, to, count, static_cast<off_t>(file_->offset + at_));
    } while (read < 0 && errno == EINTR);
    if (read <= 0) {
      if (read == 0) errno = EIO;  // it became shorter
      Say("read");
      return curl::kReadAbort;
    }
    at_ += static_cast<std::uint64_t>(read);
    return static_cast<std::size_t>(read);
  }

  bool Seek(std::uint64_t offset) {
    at_ = std::min(offset, bytes());
    return true;
  }

 private:
  void Say(std::string_view what) {
    status_ = Error(StatusCode::kIo, "{}: cannot {}: {}", file_->path, what, std::strerror(errno));
  }

  const std::string_view text_;
  const FileBody* file_ = nullptr;
  int descriptor_ = -1;
  std::uint64_t at_ = 0;
  Status status_;
};

// What comes back, as it comes.
class Receiver {
 public:
  explicit Receiver(const HttpRequest& request) : request_(request) {}

  // A line of the head. A new status line (behind "100 Continue") begins anew.
  bool TakeHeader(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      answer_.headers.clear();
      const std::size_t blank = line.find(' ');
      answer_.status = blank == std::string_view::npos
                           ? 0
                           : std::atoi(std::string(line.substr(blank + 1, 3)).c_str());
      return true;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || answer_.headers.size() >= kMostHeaders) return true;
    std::string name(line.substr(0, colon));
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
      value.remove_prefix(1);
    while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ')
      value.remove_suffix(1);
    answer_.headers.emplace_back(std::move(name), value);
    return true;
  }

  bool TakeBody(std::string_view piece) {
    const bool is_wanted = (answer_.status == 200 || answer_.status == 206) && request_.on_body;
    if (!is_wanted) {
      if (piece.size() > request_.most_answer_bytes - answer_.body.size()) {
        status_ =
            Error(StatusCode::kBadData, "an answer of over {} bytes", request_.most_answer_bytes);
        return false;
      }
      answer_.body += piece;
      return true;
    }
    return Begin() && Kept(request_.on_body(piece));
  }

  // A body of no bytes has a head, too.
  void End() {
    if ((answer_.status == 200 || answer_.status == 206) && status_.ok()) Begin();
  }

  const Status& status() const { return status_; }
  HttpAnswer Take() { return std::move(answer_); }

 private:
  bool Begin() {
    if (has_begun_ || !request_.on_head) return true;
    has_begun_ = true;
    return Kept(request_.on_head(answer_.status, answer_.headers));
  }
  bool Kept(Status status) {
    if (!status.ok()) status_ = std::move(status);
    return status_.ok();
  }

  const HttpRequest& request_;
  bool has_begun_ = false;
  Status status_;
  HttpAnswer answer_;
};

// libcurl is C: no exception goes through it. Without memory a request fails.
template <typename Take>
std::size_t Taken(std::size_t bytes, const Take& take) noexcept {
  try {
    return take() ? bytes : bytes + 1;  // any number but that of the bytes is an error
  } catch (...) {
    return bytes + 1;
  }
}
std::size_t OnRead(char* to, std::size_t size, std::size_t count, void* body) noexcept {
  return static_cast<Body*>(body)->Read(to, size * count);
}
int OnSeek(void* body, std::int64_t offset, int origin) noexcept {
  constexpr int kDone = 0, kCannot = 2;
  const bool is_done = origin == SEEK_SET && offset >= 0 &&
                       static_cast<Body*>(body)->Seek(static_cast<std::uint64_t>(offset));
  return is_done ? kDone : kCannot;
}
std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* receiver) noexcept {
  return Taken(size * count, [&] {
    return static_cast<Receiver*>(receiver)->TakeHeader({data, size * count});
  });
}
std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* receiver) noexcept {
  return Taken(size * count, [&] {
    return static_cast<Receiver*>(receiver)->TakeBody({data, size * count});
  });
}

class CurlTransport final : public Transport {
 public:
  CurlTransport(const curl::Functions& functions, CurlOptions options)
      : curl_(functions), options_(std::move(options)) {}
  ~CurlTransport() override {
    for (curl::Handle* const handle : idle_) curl_.easy_cleanup(handle);
  }

  Outcome Send(const HttpRequest& request) override {
    Body body(request);
    if (!body.status().ok()) return {Outcome::Kind::kRefused, body.status(), {}};
    Receiver receiver(request);
    curl::Handle* const handle = TakeHandle();
    if (handle == nullptr)
      return {Outcome::Kind::kRefused, Error(StatusCode::kResource, "out of memory"), {}};
    std::array<char, curl::kErrorBytes> words{};
    curl::List* const headers = Prepare(handle, request, body, receiver, words.data());
    const int code = curl_.easy_perform(handle);
    curl_.slist_free_all(headers);
    GiveHandle(handle);
    if (code == curl::kOk) receiver.End();
    return OutcomeOf(code, body, receiver, words.data());
  }

 private:
  template <typename Value>
  void Set(curl::Handle* handle, int option, Value value) const {
    // None of these fails but for want of memory, and easy_perform would tell.
    curl_.easy_setopt(handle, option, value);
  }

  // The list has to be freed behind the request.
  curl::List* Prepare(curl::Handle* handle, const HttpRequest& request, Body& body,
                      Receiver& receiver, char* words) const {
    Set(handle, curl::kUrl, request.url.c_str());
    Set(handle, curl::kErrorBuffer, words);
    Set(handle, curl::kNoSignal, 1L);
    Set(handle, curl::kUserAgent, "rankscope");
    Set(handle, curl::kProtocols, curl::kProtocolHttp | curl::kProtocolHttps);
    Set(handle, curl::kHttpVersion, curl::kHttp11);
    Set(handle, curl::kPathAsIs, 1L);
    Set(handle, curl::kFollowLocation, 0L);
    Set(handle, curl::kSslVerifyPeer, 1L);
    Set(handle, curl::kSslVerifyHost, 2L);
    if (!options_.ca_file.empty()) Set(handle, curl::kCaInfo, options_.ca_file.c_str());
    Set(handle, curl::kConnectTimeoutMs, options_.connect_ms);
    if (request.most_ms > 0) Set(handle, curl::kTimeoutMs, request.most_ms);
    Set(handle, curl::kLowSpeedLimit, options_.least_bytes_per_s);
    Set(handle, curl::kLowSpeedTime, std::max(options_.slow_s, request.patience_s));
    Set(handle, curl::kHeaderFunction, &OnHeader);
    Set(handle, curl::kHeaderData, static_cast<void*>(&receiver));
    Set(handle, curl::kWriteFunction, &OnBody);
    Set(handle, curl::kWriteData, static_cast<void*>(&receiver));
    if (request.method == "HEAD") {
      Set(handle, curl::kNoBody, 1L);
    } else if (request.method == "PUT" || request.method == "POST") {
      Set(handle, curl::kUpload, 1L);
      Set(handle, curl::kUploadBufferSize, 256L << 10);
      Set(handle, curl::kReadFunction, &OnRead);
      Set(handle, curl::kReadData, static_cast<void*>(&body));
      Set(handle, curl::kSeekFunction, &OnSeek);
      Set(handle, curl::kSeekData, static_cast<void*>(&body));
      Set(handle, curl::kInFileSizeLarge, static_cast<std::int64_t>(body.bytes()));
      Set(handle, curl::kCustomRequest, request.method.c_str());
    } else {
      Set(handle, curl::kCustomRequest, request.method.c_str());
    }
    curl::List* headers = nullptr;
    for (const auto& [name, value] : request.headers) {
      // "Name;" is how libcurl is told of a header without a value.
      const std::string line = value.empty() ? name + ";" : name + ": " + value;
      headers = curl_.slist_append(headers, line.c_str());
    }
    Set(handle, curl::kHttpHeader, headers);
    return headers;
  }

  Outcome OutcomeOf(int code, const Body& body, Receiver& receiver, const char* words) const {
    if (!receiver.status().ok()) return {Outcome::Kind::kStopped, receiver.status(), {}};
    if (!body.status().ok()) return {Outcome::Kind::kRefused, body.status(), {}};
    if (code == curl::kOk) return {Outcome::Kind::kAnswered, OkStatus(), receiver.Take()};
    const bool is_final = code == curl::kUnsupportedProtocol || code == curl::kMalformedUrl ||
                          code == curl::kOutOfMemory || code == curl::kPeerFailedVerification ||
                          code == curl::kSslCaCertBadFile;
    return {is_final ? Outcome::Kind::kRefused : Outcome::Kind::kBroken,
            Error(StatusCode::kIo, "{}", *words != '\0' ? words : curl_.easy_strerror(code)),
            {}};
  }

  // Each has a connection of its own, which stays open.
  curl::Handle* TakeHandle() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        curl::Handle* const handle = idle_.back();
        idle_.pop_back();
        return handle;
      }
    }
    return curl_.easy_init();
  }
  void GiveHandle(curl::Handle* handle) {
    curl_.easy_reset(handle);  // keeps its connections
    const std::scoped_lock lock(mutex_);
    idle_.push_back(handle);
  }

  const curl::Functions& curl_;
  const CurlOptions options_;
  std::mutex mutex_;
  std::vector<curl::Handle*> idle_;
};

}  // namespace

std::string_view HttpAnswer::Header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : found->second;
}

Result<std::unique_ptr<Transport>> MakeCurlTransport(CurlOptions options) {
  RS_ASSIGN_OR_RETURN(const curl::Functions* const functions, curl::Load());
  return std::unique_ptr<Transport>(
      std::make_unique<CurlTransport>(*functions, std::move(options)));
}

}  // namespace rankscope::fetch
