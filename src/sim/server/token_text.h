// Text as tokens, and tokens as text, by a simple rule: a token is four bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope::sim {

// Four bytes per token; the last token may be shorter.
std::int64_t CountTokens(std::string_view text);

// One hash per full block of a prompt, over all tokens up to the block's end (RequestSpec). Two
// texts with a common prefix have the same hashes within that prefix.
std::vector<std::uint64_t> BlockHashes(std::string_view text);
std::vector<std::uint64_t> BlockHashes(std::span<const std::int64_t> tokens);

// A token of an answer: a blank and a word of three letters. It depends only on `draw`.
std::string_view WordOf(std::uint64_t draw);

}  // namespace rankscope::sim
