#include "sim/server/live_engine.h"

#include <algorithm>
#include <utility>

namespace rankscope::sim {

// What a step, or an abort, has brought; handed out without the lock.
struct LiveEngine::Delivery {
  std::optional<Step> step;
  StepResult result;
  std::vector<RequestRecord> aborted;
  std::vector<std::shared_ptr<TokenSink>> token_sinks;  // of result.tokens
  std::vector<std::shared_ptr<TokenSink>> ended_sinks;  // of result.ended
  std::vector<std::shared_ptr<TokenSink>> aborted_sinks;
};

Result<std::unique_ptr<LiveEngine>> LiveEngine::Start(const CostShape& shape,
                                                      const EngineSettings& settings,
                                                      const EngineNoise& noise,
                                                      const LiveOptions& options,
                                                      EngineHooks hooks) {
  RS_ASSIGN_OR_RETURN(auto engine, Engine::Make(shape, settings, noise));
  return std::unique_ptr<LiveEngine>(new LiveEngine(std::move(engine), options, std::move(hooks)));
}

LiveEngine::LiveEngine(std::unique_ptr<Engine> engine, const LiveOptions& options,
                       EngineHooks hooks)
    : engine_(std::move(engine)),
      options_(options),
      hooks_(std::move(hooks)),
      start_(Clock::now()),
      ready_(start_ + std::chrono::duration_cast<Clock::duration>(options.startup_time)),
      thread_([this] { Run(); }) {}

LiveEngine::~LiveEngine() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Result<std::uint64_t> LiveEngine::Submit(RequestSpec spec, std::shared_ptr<TokenSink> sink) {
  RS_RETURN_IF_ERROR(engine_->Check(spec));
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t waiting = engine_->waiting() + static_cast<std::int64_t>(arrivals_.size());
    if (options_.queue_limit > 0 && waiting >= options_.queue_limit) {
      return Error(StatusCode::kResource, "{} requests wait, and no more may: try again later",
                   waiting);
    }
    id = next_id_++;
    arrivals_.push_back({id, std::move(spec), NowNs()});
    sinks_.emplace(id, std::move(sink));
  }
  wake_.notify_one();
  return id;
}

void LiveEngine::Abort(std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    if (!sinks_.contains(id)) return;
    aborts_.push_back(id);
  }
  wake_.notify_one();
}

EngineGauges LiveEngine::gauges() const {
  const std::lock_guard lock(mutex_);
  return {.running = engine_->running(),
          .waiting = engine_->waiting() + static_cast<std::int64_t>(arrivals_.size()),
          .preemptions = engine_->preemptions(),
          .kv_usage = engine_->KvUsage()};
}

void LiveEngine::Run() {
  std::unique_lock lock(mutex_);
  while (!stops_) {
    Delivery delivery;
    TakeAborts(delivery);
    const bool has_work = TakeArrivals();
    if (has_work) delivery.step = engine_->Begin(time_ns_);
    if (delivery.step) {
      const auto end = RealTime(delivery.step->end_ns);
      if (wake_.wait_until(lock, end, [this] { return stops_; })) return;
      time_ns_ = delivery.step->end_ns;
      delivery.result = engine_->End();
    } else if (engine_->is_dead()) {
      lock.unlock();
      if (hooks_.on_death) hooks_.on_death();
      return;
    }
    if (!delivery.step && delivery.aborted.empty()) {
      wake_.wait(lock, [this] { return stops_ || !arrivals_.empty() || !aborts_.empty(); });
      continue;
    }
    for (const StepResult::Token& token : delivery.result.tokens)
      delivery.token_sinks.push_back(sinks_.at(token.id));
    for (const RequestRecord& record : delivery.result.ended) {
      delivery.ended_sinks.push_back(std::move(sinks_.at(record.id)));
      sinks_.erase(record.id);
    }
    lock.unlock();
    Deliver(delivery);
    delivery = {};  // a sink's end may abort
    lock.lock();
  }
}

void LiveEngine::TakeAborts(Delivery& delivery) {
  for (const std::uint64_t id : std::exchange(aborts_, {})) {
    const auto sink = sinks_.find(id);
    if (sink == sinks_.end()) continue;
    auto record = engine_->Abort(id, time_ns_);
    if (!record) {
      const auto arrival = std::ranges::find(arrivals_, id, &Arrival::id);
      record = RequestRecord{.id = id,
                             .prompt_tokens = arrival->spec.prompt_tokens,
                             .is_aborted = true,
                             .arrival_ns = arrival->time_ns,
                             .end_ns = std::max(time_ns_, arrival->time_ns)};
      arrivals_.erase(arrival);
    }
    delivery.aborted.push_back(*record);
    delivery.aborted_sinks.push_back(std::move(sink->second));
    sinks_.erase(sink);
  }
}

// Those that had come when the next step begins. False: there is nothing to do.
bool LiveEngine::TakeArrivals() {
  if (engine_->running() + engine_->waiting() == 0) {
    if (arrivals_.empty()) return false;
    time_ns_ = std::max(time_ns_, arrivals_.front().time_ns);
  }
  auto next = arrivals_.begin();
  for (; next != arrivals_.end() && next->time_ns <= time_ns_; ++next)
    engine_->Add(next->id, std::move(next->spec), next->time_ns);
  arrivals_.erase(arrivals_.begin(), next);
  return true;
}

void LiveEngine::Deliver(Delivery& delivery) {
  if (delivery.step && hooks_.on_step) hooks_.on_step(*delivery.step, delivery.result);
  if (hooks_.on_abort) std::ranges::for_each(delivery.aborted, hooks_.on_abort);
  for (const auto& sink : delivery.token_sinks) sink->OnToken();
  for (std::size_t i = 0; i < delivery.ended_sinks.size(); ++i)
    delivery.ended_sinks[i]->OnEnd(delivery.result.ended[i]);
  for (std::size_t i = 0; i < delivery.aborted_sinks.size(); ++i)
    delivery.aborted_sinks[i]->OnEnd(delivery.aborted[i]);
}

std::int64_t LiveEngine::NowNs() const {
  const std::chrono::duration<double, std::nano> real = Clock::now() - start_;
  return static_cast<std::int64_t>(real.count() * options_.time_scale);
}

LiveEngine::Clock::time_point LiveEngine::RealTime(std::int64_t time_ns) const {
  const std::chrono::duration<double, std::nano> real(static_cast<double>(time_ns) /
                                                      options_.time_scale);
  return start_ + std::chrono::duration_cast<Clock::duration>(real);
}

}  // namespace rankscope::sim
