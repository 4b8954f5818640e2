// Shards as an array job of Slurm, and the report as a job that comes after it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::shards {

struct SlurmSpec {
  std::string folder;   // with a plan; seen by all nodes under this path
  std::string program;  // this one, seen by all nodes under this path
  std::size_t shards = 0;
  std::int64_t most_at_once = 0;    // shards; 0: as many as Slurm starts
  std::vector<std::string> sbatch;  // more words for sbatch, of both jobs
  std::vector<std::string> report;  // the words of the program that write ReportPath(folder)
};

std::string ReportPath(const std::string& folder);

// What sbatch is given: FOLDER/shard.sh and FOLDER/report.sh. A shard that should be tried again
// is put back into the queue three times.
Status WriteSlurmScripts(const SlurmSpec& spec);

struct SlurmJobs {
  std::string shards;  // numbers of jobs, as sbatch says them
  std::string report;
};
// Writes the scripts and submits both jobs. kNotFound without sbatch; where Slurm refuses, what it
// says; no job is left then.
Result<SlurmJobs> SubmitToSlurm(const SlurmSpec& spec);

struct SlurmWatch {
  std::function<bool()> is_stopped;
  // How many shards have a result.
  std::function<void(std::size_t done)> on_progress;
};
// Waits for the report: the exit code of its program. kCancelled where it was stopped, after both
// jobs were cancelled; kInternal where Slurm has ended the job before its program had ended.
Result<int> WaitForSlurm(const SlurmSpec& spec, const SlurmJobs& jobs, const SlurmWatch& watch);

}  // namespace rankscope::shards
