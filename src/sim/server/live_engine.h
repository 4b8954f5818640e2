// LiveEngine: an Engine that runs on the real clock. Thread-safe.
//
// Its own thread waits until a step is over, hands out its tokens and begins the next step. A step
// begins at the end of the one before, not when the thread wakes up. So late wake-ups do not add
// up, and a request that arrived before the end of a step is in the next step. With a time scale of
// N, N simulated seconds pass per real second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

// Receives the tokens of a request. The engine's thread calls it, so it must not block.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  virtual void OnToken() = 0;
  virtual void OnEnd(const RequestRecord& record) = 0;  // also for an aborted request
};

// The engine's thread calls them, before the sinks. May be empty.
struct EngineHooks {
  std::function<void(const Step&, const StepResult&)> on_step;
  std::function<void(const RequestRecord&)> on_abort;
  std::function<void()> on_death;  // the engine ran out of memory; no more tokens follow
};

struct LiveOptions {
  double time_scale = 1;
  std::int64_t queue_limit = 0;              // most requests that may wait; 0: unlimited
  std::chrono::nanoseconds startup_time{0};  // in real time
};

struct EngineGauges {
  std::int64_t running = 0, waiting = 0;
  std::int64_t preemptions = 0;
  double kv_usage = 0;
};

class LiveEngine {
 public:
  // kInvalidArgument as in Engine::Make.
  static Result<std::unique_ptr<LiveEngine>> Start(const CostShape& shape,
                                                   const EngineSettings& settings,
                                                   const EngineNoise& noise,
                                                   const LiveOptions& options, EngineHooks hooks);
  // Sinks that have not ended get no further calls.
  ~LiveEngine();

  bool is_ready() const { return Clock::now() >= ready_; }
  Status Check(const RequestSpec& spec) const { return engine_->Check(spec); }
  // Returns the request's id. Tokens may arrive before it returns. kInvalidArgument as in
  // Engine::Check, kResource if the queue is full.
  Result<std::uint64_t> Submit(RequestSpec spec, std::shared_ptr<TokenSink> sink);
  // Takes effect between steps, as in real engines. Does nothing if the request has ended.
  void Abort(std::uint64_t id);

  EngineGauges gauges() const;
  std::int64_t kv_blocks() const { return engine_->kv_blocks(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Arrival {
    std::uint64_t id = 0;
    RequestSpec spec;
    std::int64_t time_ns = 0;  // simulated, like all times here
  };
  struct Delivery;

  LiveEngine(std::unique_ptr<Engine> engine, const LiveOptions& options, EngineHooks hooks);
  void Run();
  void TakeAborts(Delivery& delivery);
  bool TakeArrivals();
  void Deliver(Delivery& delivery);
  std::int64_t NowNs() const;
  Clock::time_point RealTime(std::int64_t time_ns) const;

  const std::unique_ptr<Engine> engine_;
  const LiveOptions options_;
  const EngineHooks hooks_;
  const Clock::time_point start_, ready_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stops_ = false;
  std::uint64_t next_id_ = 1;
  std::int64_t time_ns_ = 0;  // earliest begin of the next step
  std::vector<Arrival> arrivals_;
  std::vector<std::uint64_t> aborts_;
  boost::unordered_flat_map<std::uint64_t, std::shared_ptr<TokenSink>> sinks_;
  std::thread thread_;
};

}  // namespace rankscope::sim
