#include "sim/serving/engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "sim/serving/draw.h"

namespace rankscope::sim {
namespace {

constexpr double kLeastStallNs = 50e6;
constexpr double kMostStallNs = 200e6;

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Make(const CostShape& shape, const EngineSettings& settings,
                                             const EngineNoise& noise) {
  RS_ASSIGN_OR_RETURN(const std::int64_t blocks, KvBlocks(shape, settings));
  return std::unique_ptr<Engine>(new Engine(shape, settings, noise, blocks));
}

Engine::Engine(const CostShape& shape, const EngineSettings& settings, const EngineNoise& noise,
               std::int64_t blocks)
    : shape_(shape), settings_(settings), noise_(noise), scheduler_(settings, blocks) {}

Status Engine::Check(const RequestSpec& spec) const {
  const std::int64_t most = settings_.ModelLen(shape_);
  if (spec.prompt_tokens < 1)
    return Error(StatusCode::kInvalidArgument, "the prompt is empty: give one token at least");
  if (spec.prompt_tokens >= most) {
    return Error(StatusCode::kInvalidArgument,
                 "the longest request has {} tokens; a prompt of {} leaves no room for an answer",
                 most, spec.prompt_tokens);
  }
  if (spec.output_tokens < 1)
    return Error(StatusCode::kInvalidArgument, "max_tokens has to be 1 or more");
  if (spec.output_tokens > most - spec.prompt_tokens) {
    return Error(StatusCode::kInvalidArgument,
                 "the longest request has {} tokens; this one has {} of prompt and asks for {}",
                 most, spec.prompt_tokens, spec.output_tokens);
  }
  return OkStatus();
}

void Engine::Add(std::uint64_t id, RequestSpec spec, std::int64_t arrival_ns) {
  auto held = std::make_unique<Held>();
  held->record.id = id;
  held->record.prompt_tokens = spec.prompt_tokens;
  held->record.arrival_ns = arrival_ns;
  held->spec = std::move(spec);
  scheduler_.Enqueue(held.get());
  by_id_.emplace(id, std::move(held));
}

std::optional<RequestRecord> Engine::Abort(std::uint64_t id, std::int64_t now_ns) {
  RS_CHECK(batch_ == nullptr, "a request is aborted within a step");
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  scheduler_.Remove(found->second.get());
  RequestRecord record = found->second->record;
  record.is_aborted = true;
  record.end_ns = now_ns;
  by_id_.erase(found);
  return record;
}

std::optional<Step> Engine::Begin(std::int64_t now_ns) {
  if (is_dead_) return std::nullopt;
  const auto& batch = scheduler_.Schedule(now_ns);
  if (batch.empty()) return std::nullopt;
  if (IsOutOfMemory(shape_, settings_, scheduler_.running())) {
    is_dead_ = true;
    return std::nullopt;
  }
  ++steps_;
  step_ = Describe(batch, now_ns);
  step_.end_ns = now_ns + TimeOf(batch);
  batch_ = &batch;
  return step_;
}

Step Engine::Describe(const std::vector<Scheduled>& batch, std::int64_t now_ns) const {
  Step step{.number = steps_,
            .begin_ns = now_ns,
            .running = scheduler_.running(),
            .waiting = scheduler_.waiting()};
  for (const Scheduled& one : batch) {
    (one.is_generation ? step.generation_requests : step.context_requests) += 1;
    (one.is_generation ? step.generation_tokens : step.context_tokens) += one.tokens;
  }
  return step;
}

std::int64_t Engine::TimeOf(const std::vector<Scheduled>& batch) const {
  StepWork work;
  for (const Scheduled& one : batch) {
    work.tokens += one.tokens;
    const auto before = static_cast<double>(one.sequence->computed);
    const auto tokens = static_cast<double>(one.tokens);
    if (one.is_generation) {
      work.decode_context += one.sequence->computed;
    } else {
      work.prompt_pairs += tokens * (before + tokens / 2);
    }
  }
  double ns = StepNs(shape_, work, settings_.enforces_eager);
  const std::uint64_t key = MixAll(noise_.seed, static_cast<std::uint64_t>(steps_), 0);
  if (noise_.sigma > 0)
    ns *= std::exp(noise_.sigma * Normal(key) - noise_.sigma * noise_.sigma / 2);
  if (noise_.stall_chance > 0 && Uniform(Mix(key + 2)) <= noise_.stall_chance)
    ns += kLeastStallNs + (kMostStallNs - kLeastStallNs) * Uniform(Mix(key + 3));
  return std::max<std::int64_t>(1, std::llround(ns));
}

StepResult Engine::End() {
  RS_CHECK(batch_ != nullptr, "a step ends that did not begin");
  StepResult result;
  scheduler_.Complete(*batch_);
  for (const Scheduled& one : *batch_) {
    auto& held = static_cast<Held&>(*one.sequence);
    if (held.computed < held.Known()) continue;
    RequestRecord& record = held.record;
    const bool is_first = record.output_tokens++ == 0;
    if (is_first) record.first_token_ns = step_.end_ns;
    result.tokens.push_back(
        {.id = record.id,
         .is_first = is_first,
         .since_ns = step_.end_ns - (is_first ? record.arrival_ns : held.last_token_ns),
         .prompt_tokens = record.prompt_tokens,
         .cached_tokens = record.cached_tokens});
    held.last_token_ns = step_.end_ns;
    if (record.output_tokens < held.spec.output_tokens) continue;
    record.end_ns = step_.end_ns;
    record.ended_by_itself = held.spec.ends_by_itself;
    result.ended.push_back(record);
  }
  batch_ = nullptr;
  for (const RequestRecord& record : result.ended) {
    const auto found = by_id_.find(record.id);
    scheduler_.Remove(found->second.get());
    by_id_.erase(found);
  }
  return result;
}

double Engine::KvUsage() const {
  return 1 - static_cast<double>(free_blocks()) / static_cast<double>(kv_blocks());
}

}  // namespace rankscope::sim
