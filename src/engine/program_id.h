// Identifies a build of the program: derived results are valid only for the same build.
#pragma once

#include <string>

namespace rankscope {

// The linker's build id of the program or library that contains this code; without one, the hash of
// its file. Empty: unknown.
const std::string& ProgramId();

}  // namespace rankscope
