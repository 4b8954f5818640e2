// Patches of a user's code for what a report found: the face of this folder.
//
//   const Patches patches = MakePatches(request, std::move(files));
//
// Nothing is written here: tree/ reads and writes files, output/ shows patches. Every patch leaves
// Python, and on what it leaves MakePatches with the same request changes nothing.
#pragma once

#include <string>
#include <vector>

#include "fix/base/request.h"

namespace rankscope::fix {

// Files that have to do with training and are no Python are among what is left. O(findings * kinds
// * files).
Patches MakePatches(const Request& request, std::vector<SourceText> files);

}  // namespace rankscope::fix
