// Scheduler: which requests a step works on, as vLLM's V1 scheduler decides it.
//
// One budget of tokens for a step. First the running requests in the order of their admission: a
// token of those that generate, the next piece of a prompt of others. Where blocks are lacking, the
// one that was admitted last loses all of its own and goes to the front of the queue, to be
// computed anew with what it has generated. Where that happened nobody is admitted; else the
// waiting ones are, in their order, while there is budget, a place and room for the piece, behind
// what the prefix cache holds of the prompt. The last token of a prompt is always computed.
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
  bool is_generation = false;  // one token, of a request that has its first already
};

class Scheduler {
 public:
  // `blocks` as KvBlocks gives them.
  Scheduler(const EngineSettings& settings, std::int64_t blocks);

  void Enqueue(Sequence* sequence) { waiting_.push_back(sequence); }
  // Of one that has ended, or is to; none of it is in a step on its way.
  void Remove(Sequence* sequence);

  // The next step; empty: there is nothing to do. Valid until the next call. O(running).
  const std::vector<Scheduled>& Schedule(std::int64_t now_ns);
  // All of the step is computed.
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
  std::vector<Sequence*> running_;  // by admission
  std::deque<Sequence*> waiting_;
  std::vector<Scheduled> step_;
  std::int64_t preemptions_ = 0;
};

}  // namespace rankscope::sim
