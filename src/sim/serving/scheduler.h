// Scheduler: decides which requests a step works on, as vLLM's V1 scheduler does.
//
// A step has one budget of tokens. The running requests come first, in the order of admission: one
// token for those that generate, the next piece of the prompt for the others. If blocks run out,
// the request admitted last is preempted: it loses all its blocks, goes to the front of the queue
// and is recomputed with what it has generated. A step with a preemption admits nobody. Otherwise
// waiting requests are admitted in order while there is budget, a free place and room for the
// piece; the prefix cache supplies what it holds. The last token of a prompt is always computed.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/serving/block_pool.h"
#include "sim/serving/engine_settings.h"
#include "sim/serving/sequence.h"

namespace rankscope::sim {

struct Scheduled {
  Sequence* sequence = nullptr;
  std::int64_t tokens = 0;
  bool is_generation = false;  // one token of a request that has its first token already
};

class Scheduler {
 public:
  // `blocks` is the result of KvBlocks.
  Scheduler(const EngineSettings& settings, std::int64_t blocks);

  void Enqueue(Sequence* sequence) { waiting_.push_back(sequence); }
  // For a sequence that ended or will be aborted; it must not be part of a step in progress.
  void Remove(Sequence* sequence);

  // The next step; empty if there is nothing to do. Valid until the next call. O(running).
  const std::vector<Scheduled>& Schedule(std::int64_t now_ns);
  // The whole step has been computed.
  void Complete(const std::vector<Scheduled>& step);

  std::int64_t running() const { return static_cast<std::int64_t>(running_.size()); }
  std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size()); }
  std::int64_t preemptions() const { return preemptions_; }
  const BlockPool& pool() const { return pool_; }

 private:
  std::int64_t Piece(std::int64_t left, std::int64_t budget) const;
  bool MakeRoom(std::size_t index, std::int64_t tokens);
  bool Admit(std::int64_t now_ns, std::int64_t& budget);
  void Preempt();
  void Add(Sequence* sequence, std::int64_t tokens, std::int64_t& budget);

  EngineSettings settings_;
  BlockPool pool_;
  std::vector<Sequence*> running_;  // in the order of admission
  std::deque<Sequence*> waiting_;
  std::vector<Scheduled> step_;
  std::int64_t preemptions_ = 0;
};

}  // namespace rankscope::sim
