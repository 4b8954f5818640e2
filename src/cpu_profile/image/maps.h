// The mappings of a process: which file lies where in its memory.
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
  std::string path;  // as the process has it; "[vdso]", "[stack]"; empty: no file
};

// The text of /proc/PID/maps; lines that are none are passed over. At most 100,000 of them.
std::vector<Mapping> ParseMaps(std::string_view text);

// The one that an address is in; null: none. `maps` are in order, as the kernel has them.
const Mapping* FindMapping(const std::vector<Mapping>& maps, std::uint64_t address);

// The file of the program itself, as the process has it; empty: it cannot be seen.
std::string ProgramOf(pid_t pid);
// A file of a process, by its path in a mapping, as it is opened from here.
std::string FileOfMapping(pid_t pid, const std::string& path);

}  // namespace rankscope::cpu_profile
