#include "sim/server/live_answer.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace rankscope::sim {
namespace {

constexpr std::chrono::hours kAsLongAsItTakes{24 * 365};

// What has come and was not sent yet.
class Events final : public TokenSink {
 public:
  explicit Events(AnswerText text) : text_(std::move(text)) {}

  void OnToken() override {
    const std::lock_guard lock(mutex_);
    text_.AddToken(unsent_);
    if (!unsent_.empty() && wake_) wake_();
  }
  void OnEnd(const RequestRecord& record) override {
    const std::lock_guard lock(mutex_);
    if (!record.is_aborted) text_.End(record, unsent_);
    is_over_ = true;
    if (wake_) wake_();
  }

  std::optional<std::string> Take() {
    const std::lock_guard lock(mutex_);
    if (unsent_.empty() && is_over_) return std::nullopt;
    return std::exchange(unsent_, {});
  }
  void SetWake(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

 private:
  std::mutex mutex_;
  AnswerText text_;
  std::string unsent_;
  bool is_over_ = false;
  std::function<void()> wake_;
};

// Lives as long as somebody reads.
class EventStream final : public http::Stream {
 public:
  EventStream(LiveEngine& engine, std::uint64_t id, std::shared_ptr<Events> events)
      : engine_(engine), id_(id), events_(std::move(events)) {}
  ~EventStream() override { engine_.Abort(id_); }

  std::optional<std::string> Take() override { return events_->Take(); }
  void OnReady(std::function<void()> wake) override { events_->SetWake(std::move(wake)); }
  std::string Heartbeat() override { return ": \n\n"; }  // a comment

 private:
  LiveEngine& engine_;
  const std::uint64_t id_;
  const std::shared_ptr<Events> events_;
};

class LastToken final : public TokenSink {
 public:
  explicit LastToken(int descriptor) : descriptor_(descriptor) {}
  ~LastToken() override { close(descriptor_); }

  void OnToken() override {}
  void OnEnd(const RequestRecord& record) override {
    {
      const std::lock_guard lock(mutex_);
      record_ = record;
    }
    eventfd_write(descriptor_, 1);
  }

  int descriptor() const { return descriptor_; }
  RequestRecord record() const {
    const std::lock_guard lock(mutex_);
    return record_;
  }

 private:
  const int descriptor_;
  mutable std::mutex mutex_;
  RequestRecord record_;
};

// Lives as long as somebody waits.
struct Waiting {
  Waiting(LiveEngine& from, std::uint64_t request) : engine(from), id(request) {}
  ~Waiting() { engine.Abort(id); }
  LiveEngine& engine;
  const std::uint64_t id;
};

}  // namespace

Result<http::Reply> StreamFrom(LiveEngine& engine, RequestSpec spec, AnswerText text) {
  auto events = std::make_shared<Events>(std::move(text));
  RS_ASSIGN_OR_RETURN(const std::uint64_t id, engine.Submit(std::move(spec), events));
  http::Reply reply = EventsReply({});
  reply.body = std::make_shared<EventStream>(engine, id, std::move(events));
  return reply;
}

Result<http::Reply> WholeFrom(LiveEngine& engine, RequestSpec spec, AnswerText text) {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    return Error(StatusCode::kResource, "too many requests are open here: {}",
                 std::strerror(errno));
  }
  const auto last = std::make_shared<LastToken>(descriptor);
  RS_ASSIGN_OR_RETURN(const std::uint64_t id, engine.Submit(std::move(spec), last));
  const auto waiting = std::make_shared<Waiting>(engine, id);
  http::Reply reply;
  reply.body = http::Pending{
      .start = [last] { return last->descriptor(); },
      .finish = [last, waiting,
                 text = std::move(text)] { return JsonReply(200, text.Whole(last->record())); },
      .cancel = [waiting] { waiting->engine.Abort(waiting->id); },
      .time = kAsLongAsItTakes};
  return reply;
}

http::Reply EventsReply(std::string events) {
  return {.fields = {{"Content-Type", "text/event-stream; charset=utf-8"},
                     {"Cache-Control", "no-cache"}},
          .body = std::move(events)};
}

http::Reply JsonReply(int status, std::string json) {
  return {
      .status = status, .fields = {{"Content-Type", "application/json"}}, .body = std::move(json)};
}

}  // namespace rankscope::sim
