// Texts of about so many tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace rankscope::load {

// Words of which common tokenisers make a token each, chosen by `seed`: the same seed gives the
// same words, other seeds others from the first word on, so that no server finds them in its cache.
// How many tokens they are for this server, its answers say.
void AppendWords(std::string& text, std::int32_t count, std::uint64_t seed);

// A prompt of `tokens` words, whose first `shared` are those of `shared_seed`, and whose blocks of
// 512 words are those of `blocks` as far as they reach.
std::string PromptText(std::int32_t tokens, std::uint64_t seed, std::int32_t shared,
                       std::uint64_t shared_seed, std::span<const std::uint64_t> blocks);

}  // namespace rankscope::load
