// Outbox: a limited queue of data for a sink. It is retried with growing pauses, on its own thread,
// so a slow or dead sink delays neither collection nor other sinks. Data beyond the limit is lost,
// the oldest first, and counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "agent/sinks/sink.h"

namespace rankscope::agent {

struct OutboxOptions {
  std::size_t most_bytes = std::size_t{4} << 20;
  std::chrono::milliseconds first_pause{1000};  // behind a failure; doubled up to
  std::chrono::milliseconds longest_pause{60'000};
};

struct OutboxNumbers {
  std::uint64_t sent = 0;  // readings
  std::uint64_t lost = 0;
  std::size_t queued_bytes = 0;
};

// Safe for many threads.
class Outbox {
 public:
  // `said` is told once that the sink does not accept data, once that data is lost, and when the
  // sink accepts data again, with the amount lost meanwhile.
  Outbox(std::unique_ptr<Sink> sink, const OutboxOptions& options,
         std::function<void(std::string_view)> said);
  ~Outbox();  // what is queued is not sent any more

  Sink& sink() { return *sink_; }
  std::string_view name() const { return sink_->name(); }
  // Never waits for the sink.
  void Add(std::string encoded, std::uint64_t readings);
  // Data that could not be encoded for it.
  void Lose(std::uint64_t readings, const Status& why);
  OutboxNumbers numbers() const;

 private:
  struct Item {
    std::string encoded;
    std::uint64_t readings = 0;
  };
  void Run();
  void MakeRoom(std::size_t bytes);
  void TakeResult(const Status& sent);

  const std::unique_ptr<Sink> sink_;
  const OutboxOptions options_;
  const std::function<void(std::string_view)> said_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  bool is_sending_ = false;  // the first item
  std::deque<Item> queue_;
  OutboxNumbers numbers_;
  std::uint64_t lost_before_ = 0;  // when it took last
  bool has_said_failing_ = false;
  bool has_said_losing_ = false;
  std::thread thread_;
};

}  // namespace rankscope::agent
