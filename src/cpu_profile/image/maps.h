// The mappings of a process: which file is mapped where in its memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cpu_profile {

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  // in the file
  bool is_code = false;
  std::string path;  // as the process sees it; "[vdso]", "[stack]"; empty: no file
};

// Parses /proc/PID/maps; skips invalid lines. At most 100,000 mappings.
std::vector<Mapping> ParseMaps(std::string_view text);

// The mapping that contains an address; null: none. `maps` are sorted, as the kernel lists them.
const Mapping* FindMapping(const std::vector<Mapping>& maps, std::uint64_t address);

// The program's own file, as the process sees it; empty: not accessible.
std::string ProgramOf(pid_t pid);
// The path by which this process opens a file of a mapping.
std::string FileOfMapping(pid_t pid, const std::string& path);

}  // namespace rankscope::cpu_profile
