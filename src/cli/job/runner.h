// analyze --runner: an array job of Slurm or an Indexed Job of Kubernetes reads the job elsewhere,
// and makes the report there, too. Also analyze --shards, which then makes the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"
#include "cli/base/command.h"

namespace rankscope::cli {

struct ReportWords {
  std::vector<std::string> options;  // of analyze: --format and others
  bool draws = false;
  std::string output;  // "": standard output
};

class RunnerArguments {
 public:
  void AddTo(CommandSpec& command);

  bool is_elsewhere() const { return !runner_.empty(); }
  // For a job that this process reads: applies --shards and --wait-for-shards, if given.
  Status TakeShards(app::JobSpec& spec) const;
  // Writes the report where `report` says. With --no-wait it prints where the report will be. For
  // Kubernetes it writes the manifest there instead.
  Result<ExitCode> Run(const JobArguments& job, const ReportWords& report) const;

 private:
  // Rejects invalid combinations.
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
