// What the variables of a process's environment say of its place in the job.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::nsys {

struct Environment {
  std::int64_t rank = -1;  // -1 and "" are unknown
  std::int64_t world_size = -1;
  std::string host;
};

// Of NAME=VALUE with a zero byte behind each. Of several launchers the innermost counts: torchrun,
// then MPI (Open MPI, PMI), then Slurm. A rank that is not below its world's size is unknown.
Environment ReadEnvironment(std::string_view variables);

}  // namespace rankscope::nsys
