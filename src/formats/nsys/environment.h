// A process's place in the job, from its environment variables.
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

// `variables` is NAME=VALUE with a zero byte after each. Of several launchers the innermost counts:
// torchrun, then MPI (Open MPI, PMI), then Slurm. A rank that is not below its world size is
// unknown.
Environment ReadEnvironment(std::string_view variables);

}  // namespace rankscope::nsys
