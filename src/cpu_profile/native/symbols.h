// Names of native addresses of a process: by the symbols of the files that are mapped, of their
// debug files where they are stripped, and by the map that a JIT leaves in /tmp/perf-PID.map.
//
// Symbols are read here and not by libdw (docs/architecture.md): what is lost are lines.
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
  std::string function;  // demangled; "libtorch.so+0x1234" where none is known
  std::string file;      // the library, as the process has it; empty: none
};

// One file's symbols are in memory at a time. O(their files).
std::unordered_map<std::uint64_t, NativeName> NamesOf(pid_t pid, std::int64_t pid_inside,
                                                      const std::vector<Mapping>& maps,
                                                      std::vector<std::uint64_t> addresses);

// A line for each function: "7f12 40 name of it", hexadecimal address and size. By address.
struct JitFunction {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::string name;
};
std::vector<JitFunction> ParsePerfMap(std::string_view text);
const JitFunction* FindJitFunction(const std::vector<JitFunction>& functions,
                                   std::uint64_t address);

// As it is, where it is no mangled name of C++.
std::string Demangled(std::string_view name);

}  // namespace rankscope::cpu_profile
