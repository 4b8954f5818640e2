// A completion request of OpenAI's API, with the fields that a simulated model needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::sim {

enum class CompletionKind : std::uint8_t { kText, kChat };

struct CompletionRequest {
  CompletionKind kind = CompletionKind::kText;
  std::string model;  // "": none given
  std::int64_t prompt_tokens = 0;
  std::vector<std::uint64_t> block_hashes;
  std::optional<std::int64_t> max_tokens;
  bool ignores_eos = false;
  bool streams = false;
  bool tells_usage = false;  // of a stream, in a chunk of its own
};

// Parses POST /v1/completions and /v1/chat/completions. A prompt is a text, a list of token ids, or
// a list of one prompt. A conversation becomes the text "ROLE\nCONTENT\n" of its messages,
// concatenated. Fields that do not change how long an answer takes are ignored (temperature, stop
// ...). kInvalidArgument for an invalid request, and for several prompts or answers in one request.
Result<CompletionRequest> ParseCompletion(std::string_view body, CompletionKind kind);

}  // namespace rankscope::sim
