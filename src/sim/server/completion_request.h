// A request of OpenAI's API for a completion, as far as a simulated model has to know of it.
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
  std::string model;  // "": not named
  std::int64_t prompt_tokens = 0;
  std::vector<std::uint64_t> block_hashes;
  std::optional<std::int64_t> max_tokens;
  bool ignores_eos = false;
  bool streams = false;
  bool tells_usage = false;  // a stream, in a chunk of its own
};

// Of POST /v1/completions and /v1/chat/completions. A prompt is a text or a list of token ids; a
// list of one prompt, too. A conversation is the text "ROLE\nCONTENT\n" of its messages, one behind
// the other. What does not change how long an answer takes is passed over (temperature, stop ...).
// kInvalidArgument for what is no request, several prompts or answers among it.
Result<CompletionRequest> ParseCompletion(std::string_view body, CompletionKind kind);

}  // namespace rankscope::sim
