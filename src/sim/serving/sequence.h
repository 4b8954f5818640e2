// A request as it is asked, as the engine works on it, and as it was in the end.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

struct RequestSpec {
  std::int64_t prompt_tokens = 1;
  std::int64_t output_tokens = 1;
  bool ends_by_itself = false;  // before it has as many tokens as it may
  // Of the full blocks of the prompt, each of all tokens up to its end. Fewer, or none: the rest is
  // like no other's.
  std::vector<std::uint64_t> block_hashes;
};

struct RequestRecord {
  std::uint64_t id = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  // that it was given
  std::int64_t cached_tokens = 0;  // of the prompt, when it was scheduled first
  std::int64_t preemptions = 0;
  bool is_aborted = false;
  bool ended_by_itself = false;
  std::int64_t arrival_ns = 0;
  std::int64_t scheduled_ns = -1;    // first; -1: never
  std::int64_t first_token_ns = -1;  // -1: none
  std::int64_t end_ns = 0;

  std::int64_t TtftNs() const { return first_token_ns - arrival_ns; }
  // Mean time between tokens behind the first; 0 of one token.
  double TpotNs() const {
    return output_tokens < 2 ? 0
                             : static_cast<double>(end_ns - first_token_ns) /
                                   static_cast<double>(output_tokens - 1);
  }
};

struct Sequence {
  RequestSpec spec;
  RequestRecord record;
  std::int64_t computed = 0;  // tokens whose keys and values are in its blocks
  std::vector<std::uint32_t> blocks;

  // Prompt and outputs so far.
  std::int64_t Known() const { return record.prompt_tokens + record.output_tokens; }
};

}  // namespace rankscope::sim
