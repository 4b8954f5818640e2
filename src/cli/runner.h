// analyze --runner: the job is read elsewhere, by an array job of Slurm or an Indexed Job of
// Kubernetes, and the report is made there, too. And analyze --shards, which makes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"
#include "cli/command.h"

namespace rankscope::cli {

struct ReportWords {
  std::vector<std::string> options;  // of analyze: --format, ...
  bool draws = false;
  std::string output;  // "": standard output
};

class RunnerArguments {
 public:
  void AddTo(CommandSpec& command);

  bool is_elsewhere() const { return !runner_.empty(); }
  // Of a job that is read by this process: what --shards and --wait-for-shards say, if anything.
  Status TakeShards(app::JobSpec& spec) const;
  // The report is written where `report` says, or, with --no-wait, where it will be is told.
  // Kubernetes' manifest is written there instead.
  Result<ExitCode> Run(const JobArguments& job, const ReportWords& report) const;

 private:
  // What cannot be meant.
  Status Check(const JobArguments& job) const;
  Result<ExitCode> RunInSlurm(const std::string& folder, std::size_t shards,
                              std::vector<std::string> words, const ReportWords& report) const;
  Status WriteForKubernetes(const std::string& folder, std::size_t shards,
                            std::vector<std::string> words, const ReportWords& report) const;

  std::string runner_;
  std::string folder_;
  std::string shard_size_ = "2G";
  std::int64_t most_at_once_ = 0;
  std::vector<std::string> sbatch_;
  bool no_wait_ = false;
  std::string image_;
  std::string claim_;
  std::string mount_;
  std::string memory_ = "8Gi";
  std::string cpu_ = "4";
  std::string shards_;
  std::int64_t wait_minutes_ = 0;
};

}  // namespace rankscope::cli
