// Texts with an approximate number of tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace rankscope::load {

// Words that common tokenisers encode as one token each, chosen by `seed`: the same seed gives the
// same words. Different seeds differ from the first word on, so that no server has them in its
// cache. The server's answers tell the exact number of tokens.
void AppendWords(std::string& text, std::int32_t count, std::uint64_t seed);

// A prompt of `tokens` words. Its first `shared` words come from `shared_seed`; its blocks of 512
// words come from `blocks`, as far as these reach.
std::string PromptText(std::int32_t tokens, std::uint64_t seed, std::int32_t shared,
                       std::uint64_t shared_seed, std::span<const std::uint64_t> blocks);

}  // namespace rankscope::load
