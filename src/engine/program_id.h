// Tells one build of the program from another: what a program derives of its own results is good
// for that program alone.
#pragma once

#include <string>

namespace rankscope {

// The linker's build id of the program, or of the library that this code is a part of; where there
// is none the hash of its file. Empty: unknown.
const std::string& ProgramId();

}  // namespace rankscope
