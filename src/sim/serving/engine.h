// Engine: continuous batching on a clock that the caller drives.
//
//   while (const auto step = engine.Begin(now)) {
//     now = step->end_ns;
//     StepResult result = engine.End();
//   }
//
// It uses no real time, no threads and no sockets. run_to_end.h drives it by a virtual clock,
// sim/server/live_engine.h by the real clock. It is seeded: the same requests at the same times
// lead to the same steps.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "sim/serving/cost_shape.h"
#include "sim/serving/engine_settings.h"
#include "sim/serving/scheduler.h"
#include "sim/serving/sequence.h"

namespace rankscope::sim {

struct EngineNoise {
  std::uint64_t seed = 1;
  double sigma = 0.03;      // of the logarithm of a step's noise factor, whose mean is 1
  double stall_chance = 0;  // probability that a step takes 50 to 200 ms more
};

struct Step {
  std::int64_t number = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t context_requests = 0, context_tokens = 0;
  std::int64_t generation_requests = 0, generation_tokens = 0;
  std::int64_t running = 0, waiting = 0;  // after scheduling
};

struct StepResult {
  // Requests that got one more token, in the order of the batch.
  struct Token {
    std::uint64_t id = 0;
    bool is_first = false;
    std::int64_t since_ns = 0;  // since the previous token; for the first, since the arrival
    std::int64_t prompt_tokens = 0, cached_tokens = 0;  // of the request
  };
  std::vector<Token> tokens;
  std::vector<RequestRecord> ended;
};

class Engine {
 public:
  // kInvalidArgument as in KvBlocks.
  static Result<std::unique_ptr<Engine>> Make(const CostShape& shape,
                                              const EngineSettings& settings,
                                              const EngineNoise& noise);

  // kInvalidArgument for a request without tokens, or longer than the model allows.
  Status Check(const RequestSpec& spec) const;
  // Appends to the queue. `id` is new, Check has passed, `arrival_ns` is at most the next Begin's
  // time.
  void Add(std::uint64_t id, RequestSpec spec, std::int64_t arrival_ns);
  // Call between steps. nullopt: no request has that id.
  std::optional<RequestRecord> Abort(std::uint64_t id, std::int64_t now_ns);

  // Schedules the next step. nullopt: there is nothing to do, or the engine is dead.
  std::optional<Step> Begin(std::int64_t now_ns);
  // Ends the step that began.
  StepResult End();

  // It ran out of memory; it stays dead.
  bool is_dead() const { return is_dead_; }
  std::int64_t running() const { return scheduler_.running(); }
  std::int64_t waiting() const { return scheduler_.waiting(); }
  std::int64_t preemptions() const { return scheduler_.preemptions(); }
  // 0 to 1; blocks that only the prefix cache holds count as free.
  double KvUsage() const;
  std::int64_t kv_blocks() const { return scheduler_.pool().size(); }
  std::int64_t free_blocks() const { return scheduler_.pool().free(); }

 private:
  struct Held : Sequence {
    std::int64_t last_token_ns = 0;
  };
  Engine(const CostShape& shape, const EngineSettings& settings, const EngineNoise& noise,
         std::int64_t blocks);
  Step Describe(const std::vector<Scheduled>& batch, std::int64_t now_ns) const;
  std::int64_t TimeOf(const std::vector<Scheduled>& batch) const;

  CostShape shape_;
  EngineSettings settings_;
  EngineNoise noise_;
  Scheduler scheduler_;
  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Held>> by_id_;
  const std::vector<Scheduled>* batch_ = nullptr;  // the step in progress
  Step step_;
  std::int64_t steps_ = 0;
  bool is_dead_ = false;
};

}  // namespace rankscope::sim
