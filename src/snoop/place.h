// Place: the host of a process, and its rank and job from its environment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::snoop {

struct PlaceInJob {
  std::string host;
  std::optional<std::int64_t> rank, world_size;  // nullopt: not stated
  std::string job;                               // empty: not stated
};

// Parses an environment in the format of /proc/PID/environ: texts that end in NUL. Torchrun's
// variables take precedence over those of Slurm and MPI.
PlaceInJob PlaceIn(std::string_view environment);
// What cannot be read is unknown.
PlaceInJob PlaceOf(pid_t pid);

}  // namespace rankscope::snoop
