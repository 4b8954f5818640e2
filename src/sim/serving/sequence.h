// A request: as it was sent, its state in the engine, and its final record.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

struct RequestSpec {
  std::int64_t prompt_tokens = 1;
  std::int64_t output_tokens = 1;
  bool ends_by_itself = false;  // before it reaches its maximum number of tokens
  // One hash per full block of the prompt, over all tokens up to the block's end. Blocks without a
  // hash match no other request's blocks.
  std::vector<std::uint64_t> block_hashes;
};

struct RequestRecord {
  std::uint64_t id = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  // generated for it
  std::int64_t cached_tokens = 0;  // of the prompt, when first scheduled
  std::int64_t preemptions = 0;
  bool is_aborted = false;
  bool ended_by_itself = false;
  std::int64_t arrival_ns = 0;
  std::int64_t scheduled_ns = -1;    // first time; -1: never
  std::int64_t first_token_ns = -1;  // -1: none
  std::int64_t end_ns = 0;

  std::int64_t TtftNs() const { return first_token_ns - arrival_ns; }
  // Mean time between tokens after the first; 0 with a single token.
  double TpotNs() const {
    return output_tokens < 2 ? 0
                             : static_cast<double>(end_ns - first_token_ns) /
                                   static_cast<double>(output_tokens - 1);
  }
};

struct Sequence {
  RequestSpec spec;
  RequestRecord record;
  std::int64_t computed = 0;  // tokens with keys and values in its blocks
  std::vector<std::uint32_t> blocks;

  // Prompt tokens plus output tokens so far.
  std::int64_t Known() const { return record.prompt_tokens + record.output_tokens; }
};

}  // namespace rankscope::sim
