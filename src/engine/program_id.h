// Tells one build of the program from another: what a program derives of its own results is good
// for that program alone.
#pragma once

#include <string>

namespace rankscope {

// The linker's build id, or where there is none the hash of the program's file. Empty: unknown.
const std::string& ProgramId();

}  // namespace rankscope
