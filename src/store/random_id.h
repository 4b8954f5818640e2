// Names that nobody guesses.
#pragma once

#include <string>

namespace rankscope::store {

// 64 random bits in 16 hexadecimal digits: of what is found by whoever may see it.
std::string RandomId();
// 128 bits: of what is found by whoever knows the name.
std::string RandomSecretId();

}  // namespace rankscope::store
