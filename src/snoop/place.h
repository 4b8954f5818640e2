// Place: where a process belongs: its host, and rank and job as its environment has them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::snoop {

struct PlaceInJob {
  std::string host;
  std::optional<std::int64_t> rank, world_size;  // nullopt: it does not say
  std::string job;                               // empty: it does not say
};

// Of an environment as /proc/PID/environ has it: texts that end in a NUL. Torchrun's words go
// before those of Slurm and MPI.
PlaceInJob PlaceIn(std::string_view environment);
// What cannot be read is not known.
PlaceInJob PlaceOf(pid_t pid);

}  // namespace rankscope::snoop
