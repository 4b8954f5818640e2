// Plan: the probes for a process: the calls of calls.h in the libraries that it has mapped.
//
// Needs only privileges to read the process's files and memory (like the CPU profile).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/python/python_reader.h"
#include "snoop/calls.h"

namespace rankscope::snoop {

// A place in a file where a BPF program runs.
struct Probe {
  std::string file;             // as this process opens it
  std::uint64_t offset = 0;     // in the file
  std::uint64_t semaphore = 0;  // file offset of a site's (USDT) counter; 0: none
  std::uint32_t call = 0;       // index into Plan::calls
  bool at_return = false;
};

struct PlanOptions {
  pid_t pid = 0;
  bool memory = true;    // allocations and frees
  bool launches = true;  // launches, waits, copies
  bool stacks = true;
  std::uint64_t most_per_second = 0;  // limit of hits; 0: unlimited
};

struct Plan {
  std::vector<Call> calls;
  std::vector<Probe> probes;
  std::vector<std::string> libraries;  // with these calls, as the process sees them
  std::set<std::string> looked_at;     // names of files that may have such calls
  std::vector<std::string> notes;      // what is missing, in sentences
  Config config{};
  std::optional<cpu_profile::PythonPlace> python;
};

// kNotFound: no such process, or it has none of these calls; the sentence names the libraries that
// were searched. O(symbols of these libraries).
Result<Plan> PlanFor(const PlanOptions& options);

// For a process without probed calls: only what its stacks need. kNotFound, kIo.
Result<Plan> PlanForStacks(const PlanOptions& options);

// Mappings of a process. kNotFound: no such process; kIo: not permitted, with a sentence.
Result<std::vector<cpu_profile::Mapping>> MapsOf(pid_t pid);

// At most kMostCodeRanges ranges that together contain all code of files: neighbours with the
// smallest gaps are joined. `maps` must be sorted.
std::vector<CodeRange> CodeRangesOf(const std::vector<cpu_profile::Mapping>& maps);

// Files among `maps` that may have calls and are not in `known`: libraries that the process has
// loaded since. Adds them to `known`. The program itself is not among them.
std::vector<std::string> NewLibraries(const std::vector<cpu_profile::Mapping>& maps,
                                      std::set<std::string>& known);

// The level of a library by its file name; nullopt: not such a library.
std::optional<Level> LevelOf(std::string_view file_name);

}  // namespace rankscope::snoop
