// Text as tokens, and tokens as text, by a rule that anybody can count by: a token is four bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope::sim {

// Four bytes each, the last one what is left.
std::int64_t CountTokens(std::string_view text);

// Of the full blocks of a prompt, each of all that comes before its end (RequestSpec). Two texts
// that begin the same have the same hashes as far as they do.
std::vector<std::uint64_t> BlockHashes(std::string_view text);
std::vector<std::uint64_t> BlockHashes(std::span<const std::int64_t> tokens);

// A token of an answer: a blank and a word of three letters. The same for the same `draw`.
std::string_view WordOf(std::uint64_t draw);

}  // namespace rankscope::sim
