// Traces of requests that others have published: when each came, how long its prompt and its answer
// were.
//
//   Azure      TIMESTAMP,ContextTokens,GeneratedTokens          (CSV, moments as dates)
//   BurstGPT   Timestamp,..,Request tokens,Response tokens,..   (CSV, seconds)
//   Vidur      arrived_at,num_prefill_tokens,num_decode_tokens  (CSV, seconds)
//   Mooncake   {"timestamp": ms, "input_length", "output_length", "hash_ids": [..]} a line; equal
//              hashes are equal blocks of 512 tokens of the prompt
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::load {

struct RecordedRequest {
  std::int64_t at = 0;  // ns since the first of the trace
  std::int32_t prompt_tokens = 0, output_tokens = 0;
  std::vector<std::uint64_t> blocks;  // hashes
};

struct RecordedTrace {
  std::string format;                     // "Azure"
  std::vector<RecordedRequest> requests;  // in the order of time
  std::int64_t left_out = 0;              // lines that tell no request: failures, no tokens
};

// kBadData when the columns are of none of these, or no line is a request. `path` is for sentences.
Result<RecordedTrace> ParseTrace(std::string_view text, const std::string& path);

}  // namespace rankscope::load
