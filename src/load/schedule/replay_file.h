// Public traces of requests: arrival time, prompt length and answer length of each
// request.
//
//   Azure      TIMESTAMP,ContextTokens,GeneratedTokens          (CSV, moments as dates)
//   BurstGPT   Timestamp,..,Request tokens,Response tokens,..   (CSV, seconds)
//   Vidur      arrived_at,num_prefill_tokens,num_decode_tokens  (CSV, seconds)
//   Mooncake   {"timestamp": ms, "input_length", "output_length", "hash_ids": [..]} per line; equal
//              hashes are equal blocks of 512 tokens of the prompt
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::load {

struct RecordedRequest {
  std::int64_t at = 0;  // ns since the first request
  std::int32_t prompt_tokens = 0, output_tokens = 0;
  std::vector<std::uint64_t> blocks;  // hashes
};

struct RecordedTrace {
  std::string format;                     // "Azure"
  std::vector<RecordedRequest> requests;  // in time order
  std::int64_t left_out = 0;              // lines without a usable request: failures, no tokens
};

// kBadData if the columns match none of these, or no line is a request. `path` is used in errors.
Result<RecordedTrace> ParseTrace(std::string_view text, const std::string& path);

}  // namespace rankscope::load
