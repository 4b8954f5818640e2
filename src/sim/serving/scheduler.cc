#include "sim/serving/scheduler.h"

#include <algorithm>

namespace rankscope::sim {

Scheduler::Scheduler(const EngineSettings& settings, std::int64_t blocks)
    : settings_(settings), pool_(blocks) {}

void Scheduler::Remove(Sequence* sequence) {
  std::erase(running_, sequence);
  std::erase(waiting_, sequence);
  pool_.Free(sequence->blocks);
}

std::int64_t Scheduler::Piece(std::int64_t left, std::int64_t budget) const {
  const std::int64_t most = settings_.long_prefill_token_threshold;
  return std::min(most > 0 ? std::min(left, most) : left, budget);
}

const std::vector<Scheduled>& Scheduler::Schedule(std::int64_t now_ns) {
  step_.clear();
  std::int64_t budget = settings_.max_num_batched_tokens;
  const std::int64_t preemptions_before = preemptions_;
  for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
    const std::int64_t tokens = Piece(running_[i]->Known() - running_[i]->computed, budget);
    if (!MakeRoom(i, tokens)) break;
    Add(running_[i], tokens, budget);
  }
  if (preemptions_ != preemptions_before) return step_;
  while (!waiting_.empty() && budget > 0 && running() < settings_.max_num_seqs) {
    if (!Admit(now_ns, budget)) break;
  }
  return step_;
}

// False where the sequence itself was the last that could be preempted.
bool Scheduler::MakeRoom(std::size_t index, std::int64_t tokens) {
  Sequence* sequence = running_[index];
  const std::int64_t needed =
      BlocksFor(sequence->computed + tokens) - static_cast<std::int64_t>(sequence->blocks.size());
  while (!pool_.Take({}, std::max<std::int64_t>(needed, 0), sequence->blocks)) {
    const bool was_last = index + 1 == running_.size();
    Preempt();
    if (was_last) return false;
  }
  return true;
}

void Scheduler::Preempt() {
  Sequence* sequence = running_.back();
  running_.pop_back();
  pool_.Free(sequence->blocks);
  sequence->computed = 0;
  ++sequence->record.preemptions;
  ++preemptions_;
  waiting_.push_front(sequence);
}

bool Scheduler::Admit(std::int64_t now_ns, std::int64_t& budget) {
  Sequence* sequence = waiting_.front();
  std::span<const std::uint64_t> held;
  if (settings_.caches_prefixes) {
    const std::span<const std::uint64_t> all = sequence->spec.block_hashes;
    const auto most =
        static_cast<std::size_t>((sequence->Known() - 1) / EngineSettings::kBlockTokens);
    const auto usable = all.first(std::min(all.size(), most));
    held = usable.first(static_cast<std::size_t>(pool_.Held(usable)));
  }
  const std::int64_t cached = static_cast<std::int64_t>(held.size()) * EngineSettings::kBlockTokens;
  if (!settings_.chunks_prompts && sequence->Known() - cached > budget) return false;
  const std::int64_t tokens = Piece(sequence->Known() - cached, budget);
  const std::int64_t fresh = BlocksFor(cached + tokens) - static_cast<std::int64_t>(held.size());
  if (!pool_.Take(held, fresh, sequence->blocks)) return false;
  sequence->computed = cached;
  waiting_.pop_front();
  running_.push_back(sequence);
  if (sequence->record.scheduled_ns < 0) {
    sequence->record.scheduled_ns = now_ns;
    sequence->record.cached_tokens = cached;
  }
  Add(sequence, tokens, budget);
  return true;
}

void Scheduler::Add(Sequence* sequence, std::int64_t tokens, std::int64_t& budget) {
  const bool is_generation =
      sequence->record.output_tokens > 0 && sequence->computed == sequence->Known() - 1;
  step_.push_back({sequence, tokens, is_generation});
  budget -= tokens;
}

void Scheduler::Complete(const std::vector<Scheduled>& step) {
  for (const Scheduled& one : step) {
    Sequence& sequence = *one.sequence;
    const std::int64_t before = sequence.computed;
    sequence.computed += one.tokens;
    if (!settings_.caches_prefixes) continue;
    const auto& hashes = sequence.spec.block_hashes;
    const auto full = std::min(
        static_cast<std::size_t>(sequence.computed / EngineSettings::kBlockTokens), hashes.size());
    for (auto i = static_cast<std::size_t>(before / EngineSettings::kBlockTokens); i < full; ++i)
      pool_.Keep(sequence.blocks[i], hashes[i]);
  }
}

}  // namespace rankscope::sim
