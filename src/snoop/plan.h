// Plan: which probes a process gets: the calls of calls.h in the libraries that it has mapped.
//
// Made without privileges but those to read the process's files and memory (as the CPU profile).
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

// A place in a file where a program of BPF runs.
struct Probe {
  std::string file;             // as it is opened from here
  std::uint64_t offset = 0;     // in the file
  std::uint64_t semaphore = 0;  // of a site (USDT): where in the file its counter is; 0: none
  std::uint32_t call = 0;       // in Plan::calls
  bool at_return = false;
};

struct PlanOptions {
  pid_t pid = 0;
  bool memory = true;    // allocations and frees
  bool launches = true;  // launches, waits, copies
  bool stacks = true;
  std::uint64_t most_per_second = 0;  // hits; 0: any
};

struct Plan {
  std::vector<Call> calls;
  std::vector<Probe> probes;
  std::vector<std::string> libraries;  // that have them, as the process has them
  std::set<std::string> looked_at;     // files that may have them, by their names
  std::vector<std::string> notes;      // what is missing, sentences
  Config config{};
  std::optional<cpu_profile::PythonPlace> python;
};

// kNotFound: there is no such process, or it has none of these calls: the sentence says which
// libraries were looked at. O(their symbols).
Result<Plan> PlanFor(const PlanOptions& options);

// Of a process for which no calls are looked at: what its stacks take. kNotFound, kIo.
Result<Plan> PlanForStacks(const PlanOptions& options);

// What a process has mapped. kNotFound: there is none; kIo: it may not be read, in a sentence.
Result<std::vector<cpu_profile::Mapping>> MapsOf(pid_t pid);

// At most kMostCodeRanges of them, which hold all code of files: neighbours are joined over the
// smallest gaps. `maps` in order.
std::vector<CodeRange> CodeRangesOf(const std::vector<cpu_profile::Mapping>& maps);

// Files among `maps` that may have calls and are not in `known`, which gets them: libraries that
// the process loaded since. The program itself is none.
std::vector<std::string> NewLibraries(const std::vector<cpu_profile::Mapping>& maps,
                                      std::set<std::string>& known);

// The level of a library by its file's name; nullopt: it is none of those.
std::optional<Level> LevelOf(std::string_view file_name);

}  // namespace rankscope::snoop
