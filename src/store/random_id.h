// Names that nobody guesses.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::store {

// 64 random bits in 16 hexadecimal digits: of what is found by whoever may see it.
std::string RandomId();
// One that sorts behind `id`, at a random distance of up to 2^52 and of a 64th of the room that is
// left, so that thousands one behind the other have room. Any other when `id` is the last.
std::string RandomIdBehind(std::string_view id);
// 128 bits: of what is found by whoever knows the name.
std::string RandomSecretId();

}  // namespace rankscope::store
