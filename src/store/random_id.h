// Unguessable names.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::store {

// 64 random bits in 16 hexadecimal digits: for objects protected by access rights.
std::string RandomId();
// An id that sorts after `id`, at a random distance of up to 2^52 and of a 64th of the remaining
// room, so that thousands in a row have room. Any other if `id` is the last.
std::string RandomIdBehind(std::string_view id);
// 128 bits: for objects that anybody who knows the name may read.
std::string RandomSecretId();

}  // namespace rankscope::store
