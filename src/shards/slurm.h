// Runs shards as an array job of Slurm, and the report as a dependent job.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::shards {

struct SlurmSpec {
  std::string folder;   // with a plan; visible to all nodes under this path
  std::string program;  // this program's file, visible to all nodes under this path
  std::size_t shards = 0;
  std::int64_t most_at_once = 0;    // limit of concurrent shards; 0: Slurm decides
  std::vector<std::string> sbatch;  // additional arguments of sbatch, for both jobs
  std::vector<std::string> report;  // the program's arguments that write ReportPath(folder)
};

std::string ReportPath(const std::string& folder);

// The scripts for sbatch: FOLDER/shard.sh and FOLDER/report.sh. A shard that should be retried is
// requeued up to three times.
Status WriteSlurmScripts(const SlurmSpec& spec);

struct SlurmJobs {
  std::string shards;  // job ids, as printed by sbatch
  std::string report;
};
// Writes the scripts and submits both jobs. kNotFound without sbatch; if Slurm refuses, the error
// has its message, and no job remains.
Result<SlurmJobs> SubmitToSlurm(const SlurmSpec& spec);

struct SlurmWatch {
  std::function<bool()> is_stopped;
  // The number of shards with a result.
  std::function<void(std::size_t done)> on_progress;
};
// Waits for the report; returns the exit code of its program. kCancelled if it was stopped, after
// both jobs were cancelled; kInternal if Slurm ended the job before its program ended.
Result<int> WaitForSlurm(const SlurmSpec& spec, const SlurmJobs& jobs, const SlurmWatch& watch);

}  // namespace rankscope::shards
