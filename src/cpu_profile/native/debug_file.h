// Symbols that lie in a file of their own, as distributions and "strip" put them there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu_profile/image/elf_file.h"

namespace rankscope::cpu_profile {

// The file with the symbols of `file`, which is `path` to its process, below the first of `roots`
// ("/proc/12/root", "") that has one. By its build id in /usr/lib/debug/.build-id/ (as Debian and
// Fedora have it), else by its debug link: beside it, in .debug/ there, or below /usr/lib/debug.
// It has to be of the same build. nullopt: there is none, or `file` has all itself.
std::optional<ElfFile> DebugFileOf(const ElfFile& file, const std::string& path,
                                   const std::vector<std::string>& roots);

}  // namespace rankscope::cpu_profile
