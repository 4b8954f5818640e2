// Names of a process's native addresses: from symbols of the mapped files, from debug files if
// those are stripped, and from the map that a JIT writes to /tmp/perf-PID.map.
//
// Symbols are read here instead of by libdw (docs/architecture.md); the price is that lines are
// missing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu_profile/image/maps.h"

namespace rankscope::cpu_profile {

struct NativeName {
  std::string function;  // demangled; "libtorch.so+0x1234" if unknown
  std::string file;      // the library, as the process sees it; empty: none
};

// Holds one file's symbols in memory at a time. O(their files).
std::unordered_map<std::uint64_t, NativeName> NamesOf(pid_t pid, std::int64_t pid_inside,
                                                      const std::vector<Mapping>& maps,
                                                      std::vector<std::uint64_t> addresses);

// One line per function: "7f12 40 name of it", hexadecimal address and size. Sorted by address.
struct JitFunction {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::string name;
};
std::vector<JitFunction> ParsePerfMap(std::string_view text);
const JitFunction* FindJitFunction(const std::vector<JitFunction>& functions,
                                   std::uint64_t address);

// Returns names that are not mangled C++ names unchanged.
std::string Demangled(std::string_view name);

}  // namespace rankscope::cpu_profile
