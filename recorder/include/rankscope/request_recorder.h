// Records what becomes of each request of a service, for `rankscope serving`
// (docs/record-requests.md). C++17 and later, Linux; these headers alone, and nothing of
// rankscope's own.
//
//   rankscope::requests::Recorder recorder({.path = "requests.jsonl", .service = "ranker"});
//   ...
//   auto request = recorder.Arrive("rank");              // where it comes in
//   pool.Post([request]() mutable {                      // where a worker takes it
//     rankscope::requests::HandlerScope handler(request);
//     rankscope::requests::LockGuard lock(mutex, "index");
//     ...
//     handler.End();
//     Send(answer);
//     request.Sent();
//     request.Finish();
//   });
//
// On a request's way nothing is allocated, nobody waits and nothing throws: a call is a reading of
// the clock and some stores. What does not fit (the ring is full because nothing takes from it, or
// more requests are under way than there are slots) is counted and said in the file. A request's
// handle is copied freely, and is used by one thread at a time; behind Finish() it does nothing.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "rankscope/requests/bounded_file.h"
#include "rankscope/requests/json_line.h"
#include "rankscope/requests/record.h"
#include "rankscope/requests/ring.h"
#include "rankscope/requests/slots.h"

namespace rankscope::requests {

struct Options {
  std::string path;          // of the file; "{pid}" in it becomes the process's number
  std::string service;       // its name, which tells replicas apart beside host and process
  std::string version = {};  // of the service: a release, a commit
  // Of the file and the one before it (PATH.1) together.
  std::uint64_t most_bytes = std::uint64_t{256} << 20;
  // Records that wait to be written: 288 bytes each. A power of two, or rounded up to one.
  std::size_t ring = 8192;
  std::size_t most_under_way = 4096;  // requests at once: 296 bytes each
  // How often a thread of its own writes, and counts what waits and runs. 0: there is none, and
  // Flush() is the service's to call.
  std::chrono::milliseconds flush_every{100};
};

class Recorder;

// One request under way, or none: then nothing here does anything. O(1), no lock, no exception.
class Request {
 public:
  Request() = default;

  bool IsUnderWay() const noexcept {
    return slot_ != nullptr && slot_->generation.load(std::memory_order_acquire) == generation_;
  }

  // Stages, in their order. Each is the moment of the call, or one that was noted before; what is
  // not called stays unknown.
  // It waits for a worker: of one that was seen late, whose time then counts from when it was seen.
  void Queue() noexcept;
  void Dequeue(std::int64_t at = Now()) noexcept;       // a worker took it
  void BeginHandler(std::int64_t at = Now()) noexcept;  // its arguments are read
  void EndHandler(std::int64_t at = Now()) noexcept;    // the first call counts
  void Sent(std::int64_t at = Now()) noexcept;  // the last byte of the answer is the kernel's
  // It is over, and is written. Where Sent() was not called that it was sent is not known.
  void Finish() noexcept;

  // The recorder gives numbers where nothing else is known. At most 48 bytes.
  void SetId(std::string_view id) noexcept;
  // Requests that the handler serves at once have a number in common.
  void SetBatch(std::uint64_t batch, std::uint32_t size) noexcept;
  void SetConnection(std::uint64_t connection) noexcept;
  void Fail(std::int32_t code = 0) noexcept;
  // The caller gave up. A request that failed before stays failed.
  void Cancel() noexcept;
  // What LockGuard and LockTimer call. `name`: "" or what the lock guards; at most 32 bytes.
  void AddLockWait(std::int64_t ns, std::string_view name) noexcept;
  void AddLockHeld(std::int64_t ns) noexcept;

 private:
  friend class Recorder;
  Request(Recorder* recorder, Slot* slot, std::uint32_t generation) noexcept
      : recorder_(recorder), slot_(slot), generation_(generation) {}
  Record* record() const noexcept { return IsUnderWay() ? &slot_->record : nullptr; }

  Recorder* recorder_ = nullptr;
  Slot* slot_ = nullptr;
  std::uint32_t generation_ = 0;
};

namespace detail {

// Counts recorders that are gone, so that what a thread last worked on is not looked for there.
inline std::atomic<std::uint64_t> recorders_gone{0};

struct OfThread {
  Request request;
  std::uint64_t recorders_gone = 0;
};
inline thread_local OfThread of_thread;

inline std::int32_t ThreadId() noexcept {
  static thread_local const std::int32_t id = static_cast<std::int32_t>(::syscall(SYS_gettid));
  return id;
}

}  // namespace detail

// The request that this thread works on (HandlerScope, or an adapter's), else none.
inline Request Current() noexcept {
  const detail::OfThread& own = detail::of_thread;
  if (own.recorders_gone != detail::recorders_gone.load(std::memory_order_acquire)) return {};
  return own.request;
}
inline void SetCurrent(Request request) noexcept {
  detail::of_thread = {request, detail::recorders_gone.load(std::memory_order_acquire)};
}

// It outlives its requests: those that are under way when it ends are not written, and are counted.
class Recorder {
 public:
  explicit Recorder(Options options) noexcept
      : options_(std::move(options)),
        ring_(options_.ring),
        slots_(options_.most_under_way),
        file_(PathOf(options_.path), options_.most_bytes) {
    try {
      problem_ = file_.Open(Header());
      is_on_ = problem_.empty();
      if (is_on_ && options_.flush_every.count() > 0) writer_ = std::thread([this] { Write(); });
    } catch (...) {
      problem_ = "the recorder's thread could not be started, or memory is short";
      is_on_ = false;
    }
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() {
    if (writer_.joinable()) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
      }
      wake_.notify_all();
      writer_.join();
    }
    Flush();
    detail::recorders_gone.fetch_add(1, std::memory_order_release);
  }

  // Why nothing is recorded (the file cannot be written to), or empty.
  const std::string& problem() const noexcept { return problem_; }
  const std::string& path() const noexcept { return file_.path(); }

  // A request comes in now. Without a free slot, or with a problem, none, which is counted.
  Request Arrive(std::string_view method) noexcept {
    const std::int64_t now = Now();
    Request request = Begin(method, now);
    if (Record* record = request.record()) {
      record->arrival_ns = now;
      sees_queue_.store(true, std::memory_order_relaxed);
      MoveTo(*request.slot_, Place::kQueue);
    }
    return request;
  }
  // One that is seen late: it came at `arrival_ns`, or 0: that is not known.
  Request See(std::string_view method, std::int64_t arrival_ns = 0) noexcept {
    Request request = Begin(method, Now());
    if (Record* record = request.record()) {
      record->arrival_ns = arrival_ns;
      if (arrival_ns != 0) is_blind_.store(true, std::memory_order_relaxed);
    }
    return request;
  }

  // Writes what is there. One thread at a time works, others wait for it; requests never do.
  void Flush() noexcept {
    const std::lock_guard<std::mutex> lock(writing_);
    try {
      WriteAll();
    } catch (...) {
      dropped_.fetch_add(1, std::memory_order_relaxed);  // memory is short
    }
  }

  // Requests that are not in the file.
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  friend class Request;

  static std::string PathOf(std::string path) {
    const std::size_t at = path.find("{pid}");
    if (at != std::string::npos) path.replace(at, 5, std::to_string(::getpid()));
    return path;
  }

  Request Begin(std::string_view method, std::int64_t now) noexcept {
    if (!is_on_) return {};
    Slot* slot = slots_.Take();
    if (slot == nullptr) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return {};
    }
    slot->record = Record();
    slot->record.seen_ns = now;
    slot->record.number = numbers_.fetch_add(1, std::memory_order_relaxed) + 1;
    slot->record.method = method;
    slot->place = Place::kElsewhere;
    return {this, slot, slot->generation.load(std::memory_order_relaxed)};
  }

  void MoveTo(Slot& slot, Place place) noexcept {
    if (slot.place == place) return;
    if (slot.place != Place::kElsewhere) Level(slot.place).fetch_sub(1, std::memory_order_relaxed);
    if (place != Place::kElsewhere) Level(place).fetch_add(1, std::memory_order_relaxed);
    slot.place = place;
  }

  void Finish(Slot& slot) noexcept {
    MoveTo(slot, Place::kElsewhere);
    if (!ring_.Push(slot.record)) dropped_.fetch_add(1, std::memory_order_relaxed);
    slots_.GiveBack(slot);
  }

  std::atomic<std::int64_t>& Level(Place place) noexcept {
    return place == Place::kQueue ? queued_ : place == Place::kHandler ? running_ : sending_;
  }

  std::string Header() const {
    timespec wall{};
    clock_gettime(CLOCK_REALTIME, &wall);
    const std::int64_t monotonic = Now();
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    std::string text;
    JsonLine line(text);
    line.Add("rankscope_requests", std::int64_t{1});
    line.Add("unit", std::string_view("ns"));
    line.Add("clock", std::string_view("CLOCK_MONOTONIC"));
    line.Add("monotonic", monotonic);
    line.Add("wall_clock", std::string_view("CLOCK_REALTIME"));
    line.Add("wall", std::int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec);
    line.Add("host", std::string_view(host));
    line.Add("pid", std::int64_t{::getpid()});
    line.Add("service", std::string_view(options_.service));
    line.Add("version", std::string_view(options_.version));
    line.Add("recorder", std::string_view("C++ 1"));
    line.Add("dropped", static_cast<std::int64_t>(dropped()));
    line.End();
    return text;
  }

  void Write() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_ending_) {
      wake_.wait_for(lock, options_.flush_every, [this] { return is_ending_; });
      lock.unlock();
      Flush();
      lock.lock();
    }
  }

  // A sample of how many are where, then what has ended, a piece at a time.
  void WriteAll() {
    if (!is_on_) return;
    std::string lines;
    AddSample(lines);
    constexpr std::size_t kPiece = 64 * 1024;
    std::int64_t in_lines = 0;
    Record record;
    for (;;) {
      const bool is_there = ring_.Pop(record);
      if (is_there) {
        AddRequest(record, lines);
        ++in_lines;
      }
      if (lines.size() >= kPiece || !is_there) {
        if (!lines.empty() && !Append(lines))
          dropped_.fetch_add(static_cast<std::uint64_t>(in_lines), std::memory_order_relaxed);
        lines.clear();
        in_lines = 0;
      }
      if (!is_there) return;
    }
  }

  bool Append(const std::string& lines) {
    if (file_.IsFull() && !file_.Open(Header()).empty()) return false;
    return file_.Append(lines);
  }

  void AddSample(std::string& to) {
    const std::int64_t queued = queued_.load(std::memory_order_relaxed);
    const std::int64_t running = running_.load(std::memory_order_relaxed);
    const std::int64_t sending = sending_.load(std::memory_order_relaxed);
    const std::uint64_t dropped_now = dropped();
    const bool is_idle = queued == 0 && running == 0 && sending == 0;
    if (is_idle && was_idle_ && dropped_now == last_dropped_) return;
    was_idle_ = is_idle;
    last_dropped_ = dropped_now;
    JsonLine line(to);
    line.Add("sample", Now());
    // Of requests that are seen late the queue is known behind it alone.
    if (sees_queue_.load(std::memory_order_relaxed) && !is_blind_.load(std::memory_order_relaxed))
      line.Add("queued", queued);
    line.Add("running", running);
    line.Add("sending", sending);
    line.Add("dropped", static_cast<std::int64_t>(dropped_now));
    line.End();
  }

  Options options_;
  Ring ring_;
  Slots slots_;
  std::string problem_;
  bool is_on_ = false;

  alignas(64) std::atomic<std::uint64_t> numbers_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> sees_queue_{false}, is_blind_{false};
  alignas(64) std::atomic<std::int64_t> queued_{0};
  alignas(64) std::atomic<std::int64_t> running_{0};
  alignas(64) std::atomic<std::int64_t> sending_{0};

  std::mutex writing_;  // of the file, and of what Flush() keeps
  BoundedFile file_;
  bool was_idle_ = true;
  std::uint64_t last_dropped_ = 0;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread writer_;
};

inline void Request::Queue() noexcept {
  Record* own = record();
  if (own == nullptr) return;
  if (own->arrival_ns == 0) own->arrival_ns = own->seen_ns;
  own->dequeue_ns = own->begin_ns = 0;
  recorder_->sees_queue_.store(true, std::memory_order_relaxed);
  recorder_->MoveTo(*slot_, Place::kQueue);
}

inline void Request::Dequeue(std::int64_t at) noexcept {
  Record* own = record();
  if (own == nullptr) return;
  own->dequeue_ns = at;
  own->thread = detail::ThreadId();
  recorder_->MoveTo(*slot_, Place::kHandler);
}

inline void Request::BeginHandler(std::int64_t at) noexcept {
  Record* own = record();
  if (own == nullptr) return;
  own->begin_ns = at;
  own->thread = detail::ThreadId();
  recorder_->MoveTo(*slot_, Place::kHandler);
}

inline void Request::EndHandler(std::int64_t at) noexcept {
  Record* own = record();
  if (own == nullptr) return;
  if (own->end_ns == 0) own->end_ns = at;
  recorder_->MoveTo(*slot_, Place::kSending);
}

inline void Request::Sent(std::int64_t at) noexcept {
  if (Record* own = record()) own->sent_ns = at;
}

inline void Request::Finish() noexcept {
  if (record() != nullptr) recorder_->Finish(*slot_);
}

inline void Request::SetId(std::string_view id) noexcept {
  if (Record* own = record()) own->id = id;
}

inline void Request::SetBatch(std::uint64_t batch, std::uint32_t size) noexcept {
  if (Record* own = record()) {
    own->batch = batch;
    own->batch_size = size;
  }
}

inline void Request::SetConnection(std::uint64_t connection) noexcept {
  if (Record* own = record()) own->connection = connection;
}

inline void Request::Fail(std::int32_t code) noexcept {
  if (Record* own = record()) {
    own->outcome = Outcome::kFailed;
    own->code = code;
  }
}

inline void Request::Cancel() noexcept {
  Record* own = record();
  if (own != nullptr && own->outcome != Outcome::kFailed) own->outcome = Outcome::kCancelled;
}

inline void Request::AddLockWait(std::int64_t ns, std::string_view name) noexcept {
  Record* own = record();
  if (own == nullptr) return;
  own->lock_ns += ns;
  if (!own->has_lock || ns > own->longest_lock_ns) {
    own->longest_lock_ns = ns;
    own->lock = name;
  }
  own->has_lock = true;
}

inline void Request::AddLockHeld(std::int64_t ns) noexcept {
  if (Record* own = record()) own->held_ns += ns;
}

// A handler that works on a request in this thread: from here to End(), or the scope's.
class HandlerScope {
 public:
  // Where no worker was said to have taken it, this one does now.
  explicit HandlerScope(Request request) noexcept : request_(request), before_(Current()) {
    SetCurrent(request);
    const std::int64_t now = Now();
    request_.Dequeue(now);
    request_.BeginHandler(now);
  }
  HandlerScope(const HandlerScope&) = delete;
  HandlerScope& operator=(const HandlerScope&) = delete;
  ~HandlerScope() { End(); }

  void End() noexcept {
    if (is_over_) return;
    is_over_ = true;
    request_.EndHandler();
    SetCurrent(before_);
  }

 private:
  Request request_;
  Request before_;
  bool is_over_ = false;
};

// Adds how long it lives, or until Stop(), to what this thread's request waits for locks.
class LockTimer {
 public:
  explicit LockTimer(std::string_view name) noexcept : name_(name), begin_(Now()) {}
  LockTimer(const LockTimer&) = delete;
  LockTimer& operator=(const LockTimer&) = delete;
  ~LockTimer() { Stop(); }

  void Stop() noexcept {
    if (begin_ == 0) return;
    Current().AddLockWait(Now() - begin_, name_);
    begin_ = 0;
  }

 private:
  std::string_view name_;
  std::int64_t begin_;
};

// std::lock_guard that notes how long this thread's request waited for the lock and held it. What
// is free is taken without a reading of the clock before it. `name` outlives it. Throws what
// Mutex::lock throws, and nothing else.
template <typename Mutex>
class LockGuard {
 public:
  explicit LockGuard(Mutex& mutex, std::string_view name = {}) : mutex_(mutex) {
    std::int64_t waited = 0;
    if (!mutex_.try_lock()) {
      const std::int64_t begin = Now();
      mutex_.lock();
      taken_ = Now();
      waited = taken_ - begin;
    } else {
      taken_ = Now();
    }
    Current().AddLockWait(waited, name);
  }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;
  ~LockGuard() {
    mutex_.unlock();
    Current().AddLockHeld(Now() - taken_);
  }

 private:
  Mutex& mutex_;
  std::int64_t taken_ = 0;
};

}  // namespace rankscope::requests
