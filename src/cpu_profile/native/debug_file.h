// Symbols in a separate file, where distributions and "strip" put them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu_profile/image/elf_file.h"

namespace rankscope::cpu_profile {

// The file with the symbols of `file`, whose path in its process is `path`, below the first of
// `roots` ("/proc/12/root", "") that has one. Searches by build id in /usr/lib/debug/.build-id/
// (Debian, Fedora), then by debug link: beside the file, in .debug/ there, and below
// /usr/lib/debug. It must be of the same build. nullopt: there is none, or `file` has all symbols
// itself.
std::optional<ElfFile> DebugFileOf(const ElfFile& file, const std::string& path,
                                   const std::vector<std::string>& roots);

}  // namespace rankscope::cpu_profile
