// Patches of a user's code for the findings of a report: the public interface of this folder.
//
//   const Patches patches = MakePatches(request, std::move(files));
//
// Nothing is written here: tree/ reads and writes files, output/ shows patches. The result of every
// patch is valid Python; on that result, MakePatches with the same request changes nothing.
#pragma once

#include <string>
#include <vector>

#include "fix/base/request.h"

namespace rankscope::fix {

// Files that concern training but are not Python appear in `left`.
// O(findings * kinds * files).
Patches MakePatches(const Request& request, std::vector<SourceText> files);

}  // namespace rankscope::fix
