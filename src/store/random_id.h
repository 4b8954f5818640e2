// Names that nobody guesses.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::store {

// 64 random bits in 16 hexadecimal digits: of what is found by whoever may see it.
std::string RandomId();
// One that sorts behind `id`, at a random distance of up to 2^52, so that thousands have room. Any
// other when `id` is the last that there is.
std::string RandomIdBehind(std::string_view id);
// 128 bits: of what is found by whoever knows the name.
std::string RandomSecretId();

}  // namespace rankscope::store
