#include "agent/sinks/outbox.h"

#include <algorithm>

#include "base/caught.h"

namespace rankscope::agent {

Outbox::Outbox(std::unique_ptr<Sink> sink, const OutboxOptions& options,
               std::function<void(std::string_view)> said)
    : sink_(std::move(sink)),
      options_(options),
      said_(std::move(said)),
      thread_([this] { Run(); }) {}

Outbox::~Outbox() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  sink_->Abort();
  wake_.notify_all();
  thread_.join();
}

OutboxNumbers Outbox::numbers() const {
  const std::scoped_lock lock(mutex_);
  return numbers_;
}

// The oldest go first, but for the one that is on its way.
void Outbox::MakeRoom(std::size_t bytes) {
  const std::size_t first = is_sending_ ? 1 : 0;
  while (queue_.size() > first && numbers_.queued_bytes + bytes > options_.most_bytes) {
    const auto oldest = queue_.begin() + static_cast<std::ptrdiff_t>(first);
    numbers_.lost += oldest->readings;
    numbers_.queued_bytes -= oldest->encoded.size();
    queue_.erase(oldest);
  }
}

void Outbox::Add(std::string encoded, std::uint64_t readings) {
  std::string news;
  {
    const std::scoped_lock lock(mutex_);
    // What is larger than all of it drives nothing else out.
    if (encoded.size() <= options_.most_bytes) MakeRoom(encoded.size());
    if (numbers_.queued_bytes + encoded.size() > options_.most_bytes) {
      numbers_.lost += readings;
    } else {
      numbers_.queued_bytes += encoded.size();
      queue_.push_back({std::move(encoded), readings});
    }
    if (numbers_.lost > lost_before_ && !has_said_losing_) {
      has_said_losing_ = true;
      news = fmt::format(
          "sink {}: its buffer of {} bytes is full (sinks.buffer_mb): the oldest readings are lost",
          name(), options_.most_bytes);
    }
  }
  wake_.notify_all();
  if (!news.empty()) said_(news);
}

void Outbox::Lose(std::uint64_t readings, const Status& why) {
  {
    const std::scoped_lock lock(mutex_);
    numbers_.lost += readings;
    if (std::exchange(has_said_losing_, true)) return;
  }
  said_(fmt::format("sink {}: readings are lost: {}", name(), why.message()));
}

void Outbox::Run() {
  std::chrono::milliseconds pause{0};
  for (;;) {
    std::string encoded;
    {
      std::unique_lock lock(mutex_);
      if (pause.count() > 0) wake_.wait_for(lock, pause, [this] { return is_ending_; });
      wake_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
      if (is_ending_) return;
      is_sending_ = true;
      encoded = queue_.front().encoded;
    }
    const Status sent = Caught([&] { return sink_->Send(encoded); });
    pause = sent.code() == StatusCode::kIo
                ? std::clamp(2 * pause, options_.first_pause, options_.longest_pause)
                : std::chrono::milliseconds(0);
    TakeResult(sent);
  }
}

void Outbox::TakeResult(const Status& sent) {
  std::string news;
  {
    const std::scoped_lock lock(mutex_);
    is_sending_ = false;
    if (is_ending_) return;
    if (sent.code() != StatusCode::kIo) {
      (sent.ok() ? numbers_.sent : numbers_.lost) += queue_.front().readings;
      numbers_.queued_bytes -= queue_.front().encoded.size();
      queue_.pop_front();
    }
    if (!sent.ok() && !has_said_failing_) {
      has_said_failing_ = true;
      news = fmt::format("sink {}: {}{}", name(), sent.message(),
                         sent.code() == StatusCode::kIo ? "; it is tried again" : "");
    }
    if (sent.ok() && has_said_failing_) {
      news = fmt::format("sink {}: it takes again; {} readings were lost meanwhile", name(),
                         numbers_.lost - lost_before_);
      has_said_failing_ = has_said_losing_ = false;
    }
    if (sent.ok()) lost_before_ = numbers_.lost;
  }
  if (!news.empty()) said_(news);
}

}  // namespace rankscope::agent
