#include "http/handler_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "http/url.h"

namespace rankscope::http {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenTries{20};

class HandlerClient final : public Client {
 public:
  HandlerClient(Handler& handler, HandlerCaller caller)
      : handler_(handler), caller_(std::move(caller)), stop_(eventfd(0, EFD_CLOEXEC)) {}
  ~HandlerClient() override { close(stop_); }
  HandlerClient(const HandlerClient&) = delete;
  HandlerClient& operator=(const HandlerClient&) = delete;

  Result<ClientReply> Send(const ClientRequest& request) override {
    RS_CHECK(request.file.path.empty(), "a file is sent to a handler");
    RS_ASSIGN_OR_RETURN(Target target, ParseTarget(request.target));
    Head head{.method = request.method,
              .path = std::move(target.path),
              .query = std::move(target.query),
              .fields = caller_.fields,
              .content_length = request.text.size(),
              .has_body = !request.text.empty(),
              .peer = caller_.peer,
              .is_secure = caller_.is_secure,
              .client = caller_.client};
    head.fields.insert(head.fields.end(), request.fields.begin(), request.fields.end());
    auto begun = handler_.Begin(head);
    if (auto* const reply = std::get_if<Reply>(&begun)) return Read(std::move(*reply));
    Exchange& exchange = *std::get<std::unique_ptr<Exchange>>(begun);
    if (request.text.size() > exchange.MostBytes())
      return Error(StatusCode::kResource, "the request is longer than {} bytes",
                   exchange.MostBytes());
    const bool is_whole = request.text.empty() || exchange.Take(request.text).ok();
    return Read(exchange.Finish(is_whole));
  }

  void Abort() override {
    is_aborted_ = true;
    const std::uint64_t one = 1;
    // It is full when somebody has aborted before.
    [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof(one));
  }

 private:
  Result<ClientReply> Read(Reply reply) {
    while (auto* const pending = std::get_if<Pending>(&reply.body)) {
      RS_ASSIGN_OR_RETURN(reply, Wait(*pending));
    }
    ClientReply read{.status = reply.status, .fields = std::move(reply.fields), .body = {}};
    if (auto* const text = std::get_if<std::string>(&reply.body)) {
      read.body = std::move(*text);
    } else if (const auto* const file = std::get_if<FilePart>(&reply.body)) {
      RS_RETURN_IF_ERROR(ReadPart(*file, read.body));
    } else {
      return Error(StatusCode::kInvalidArgument, "what has no end is no reply here");
    }
    return read;
  }

  // Waits for it as the server does, which has a poller for all: here it is this thread.
  Result<Reply> Wait(const Pending& pending) {
    int done = pending.start();
    const Clock::time_point until = Clock::now() + pending.time;
    while (done == Pending::kAskAgain) {
      if (!Rest(-1, kBetweenTries)) return Cancelled();
      done = pending.start();
    }
    if (done != Pending::kDone &&
        !Rest(done, std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()))) {
      pending.cancel();
      if (is_aborted_) return Cancelled();
    }
    return pending.finish();
  }

  // False when the time is up, unless nothing is waited for, and when all is to end.
  bool Rest(int descriptor, std::chrono::milliseconds time) const {
    pollfd waits[] = {{stop_, POLLIN, 0}, {descriptor, POLLIN, 0}};
    const auto most = static_cast<int>(std::max<std::int64_t>(time.count(), 0));
    int ready = 0;
    do {
      ready = poll(waits, descriptor < 0 ? 1 : 2, most);
    } while (ready < 0 && errno == EINTR);
    if (is_aborted_) return false;
    return descriptor < 0 || ready > 0;
  }

  static Status Cancelled() { return Error(StatusCode::kCancelled, "stopped"); }

  Status ReadPart(const FilePart& part, std::string& body) const {
    if (part.bytes > caller_.most_reply)
      return Error(StatusCode::kResource, "the answer has {} bytes, of which {} may be", part.bytes,
                   caller_.most_reply);
    const int file = open(part.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return Error(StatusCode::kIo, "{}: cannot open: {}", part.path, strerror(errno));
    body.resize(part.bytes);
    std::uint64_t at = 0;
    while (at < part.bytes) {
      const ssize_t got =
          pread(file, body.data() + at, part.bytes - at, static_cast<off_t>(part.offset + at));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      at += static_cast<std::uint64_t>(got);
    }
    close(file);
    if (at < part.bytes) return Error(StatusCode::kIo, "{}: cannot read all of it", part.path);
    if (part.check != nullptr) {
      part.check->See(body);
      if (!part.check->IsGood())
        return Error(StatusCode::kInternal, "what is stored is damaged and is not given");
    }
    return OkStatus();
  }

  Handler& handler_;
  const HandlerCaller caller_;
  const int stop_;
  std::atomic<bool> is_aborted_ = false;
};

}  // namespace

std::unique_ptr<Client> MakeHandlerClient(Handler& handler, HandlerCaller caller) {
  return std::make_unique<HandlerClient>(handler, std::move(caller));
}

}  // namespace rankscope::http
