// Information on a process from /proc: its place in a job, and the path to its files from here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/base/cgroup_place.h"

namespace rankscope::agent {

struct ProcessInfo {
  pid_t pid = 0;  // in the agent's namespace
  std::string command;
  std::string user;
  std::string job_id;    // SLURM_JOB_ID, else TORCHELASTIC_RUN_ID; empty: none
  std::string job_name;  // SLURM_JOB_NAME, else the pod's name
  Placed placed;         // its pod and its container
  std::optional<std::int64_t> rank, local_rank, world_size;  // of torchrun, Slurm or MPI
  std::string trace_folder;                                  // KINETO_ONDEMAND_TRACE_DIR
  std::uint64_t start_ticks = 0;                             // StartTicksOf
  bool is_known = false;  // false: /proc said nothing (it ended, or may not be read)
};

// `root` is a prefix of /proc: empty except for fake trees. Variables of other users' processes
// cannot be read without the right to do so; then the fields are empty, which means unknown. O(size
// of its files).
ProcessInfo ReadProcessInfo(const std::string& root, pid_t pid);
bool IsAlive(const std::string& root, pid_t pid);
// When it began, in ticks since the kernel's start. With the pid this distinguishes it from a later
// process with the same pid. 0: /proc does not state it.
std::uint64_t StartTicksOf(const std::string& root, pid_t pid);

// `root` if processes are visible below it. A fake tree has none: then "", for those of this host.
std::string RootOfProcesses(const std::string& root);

// The variables of a process, "A=b" with NUL between them.
std::map<std::string, std::string, std::less<>> ParseEnvironment(std::string_view bytes);
// From its /proc/PID/cgroup; empty if that cannot be read.
CgroupPlace ReadPlace(const std::string& root, pid_t pid);

}  // namespace rankscope::agent
