// Job: a set of trace files as one thing to ask questions of. Reads files once, in parallel, and
// remembers what it computed.
//
// Thread-safe: any number of threads may ask at once. What several of them need is computed by one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/request.h"
#include "engine/trace_files.h"
#include "engine/wanted_tables.h"
#include "job/captures.h"
#include "stage/analysis.h"

namespace rankscope {

struct JobOptions {
  int threads = 0;                 // 0 = one per core
  std::uint64_t memory_bytes = 0;  // for files that are read at once; 0 = half of what is available
  CacheOptions cache;
  CaptureSelection captures;
  StepFilter steps;
  KernelRules kernel_rules;  // by which kernels are classified
  // Files among those that are found which are not read, and why: as if they could not be.
  std::vector<std::pair<std::string, Status>> left_out;
  // Called by one thread at a time while files are read; false stops the work.
  std::function<bool(const Progress&)> progress;
};

class Job {
 public:
  // Finds the files and reads what is not in the cache yet; the maps of `planned` run while a trace
  // is in memory, so that each file is read once. Fails when no file is a usable trace.
  static Result<std::unique_ptr<Job>> Open(const std::vector<std::string>& paths,
                                           JobOptions options,
                                           const std::vector<Request>& planned = {});
  ~Job();

  // What was found on opening. Facts of all ranks are handed to analyses alone.
  const JobContext& context() const { return context_; }
  const JobOptions& options() const { return options_; }
  const TraceFiles& files() const { return *files_; }

  // From now on who asks is told of reading by `progress`, which stops what was asked for when it
  // returns false; an empty one hears nothing and stops nothing. It is called by one thread at a
  // time. What was stopped can be asked for again.
  void ReportTo(std::function<bool(const Progress&)> progress) {
    files_->ReportTo(std::move(progress));
  }

  // The tables of these requests over the selected captures, in their order. Tables that are not
  // large lie in the cache under what they come from: who asks again derives nothing. Maps what is
  // missing in one pass over the files; one pass over the partials, on all cores, feeds all
  // reducers. A file that can no longer be read costs its rank: see Lost. Summaries with default
  // options are remembered, those that others are derived from too, but for large ones.
  Result<std::vector<Table>> RunAll(std::span<const Request> requests);
  Result<Table> Run(const Request& request);

  // How many tables were made, not taken from memory or the cache.
  std::size_t tables_made() const { return tables_made_; }

  // Files that were lost after the job was opened, and why: tables made since lack their ranks.
  std::vector<std::pair<std::string, Status>> Lost() const;

  // The trace of a capture (an index into context().captures), from the cache or its file.
  Result<RankTrace> OpenTrace(std::size_t capture) const;

 private:
  // Tables that were in the cache.
  using Recalled = std::map<std::pair<const Analysis*, Options>, std::shared_ptr<const Table>>;
  struct Reduction;

  explicit Job(JobOptions options);
  void ReadTelemetry(const std::vector<std::string>& files);
  // Of all that tables of this job come from beside their analysis and its options; nothing where
  // there is no cache.
  std::optional<Hash128> KeyOfTables() const;
  Recalled Recall(std::span<const Request> requests, const Hash128& key);
  void Keep(const Hash128& key, const WantedTables& wanted) const;
  Status Arrange();
  MapStage Stage(const Mapper& mapper, const Options& of_analysis, const JobContext& now) const;
  std::vector<MapStage> StagesOf(std::span<const Request> requests, const Recalled& recalled,
                                 const JobContext& now) const;
  std::vector<const AnyJobFact*> FactsOf(std::span<const Request> requests,
                                         const Recalled& recalled) const;
  // context() less the ranks that were lost since, with the facts that are known.
  std::shared_ptr<const JobContext> Now() const;
  Status Prepare(std::span<const Request> requests, const Recalled& recalled);
  Status BuildFact(const AnyJobFact& fact);
  Status Reduce(std::span<Reduction> reductions);
  std::shared_ptr<const Table> Remembered(const Request& request) const;
  // Those that are neither remembered nor recalled are to be made.
  WantedTables Want(std::span<const Request> requests, const Recalled& recalled) const;
  void Remember(const Request& request, std::shared_ptr<const Table> table);

  JobOptions options_;
  std::unique_ptr<TraceFiles> files_;
  std::vector<std::size_t> file_of_capture_;
  JobContext context_;
  std::string telemetry_key_;  // of the content of its files
  std::atomic<std::size_t> tables_made_{0};
  mutable std::mutex keeping_;

  std::mutex building_;  // facts, one at a time
  mutable std::mutex mutex_;
  std::map<const AnyJobFact*, std::shared_ptr<const void>> facts_;
  std::map<const Analysis*, std::shared_ptr<const Table>> summaries_;  // with default options
};

}  // namespace rankscope
